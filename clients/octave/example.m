% EXAMPLE  Let iMOCA choose beams, compute each, and show the front.
%   imoca serve clients/study.toml &
%   cd clients/octave && octave-cli --eval "example ('../beam.serve.json', 8)"     or: matlab -batch "example (...)"
function example (address_file, n_trials)
  for i = 1:n_trials
    question = imoca_request (address_file, 'ask', struct ('worker', 'octave-1'));
    cells = question.fidelities.beam;
    [deflection, mass] = beam (question.parameters.root, question.parameters.taper, cells);
    if isfinite (deflection)
      values = struct ('deflection', deflection, 'mass', mass);
      told = struct ('number', question.number, 'values', values, 'cost', struct ('beam', 20 + cells));
      imoca_request (address_file, 'tell', told);
    else
      imoca_request (address_file, 'fail', struct ('number', question.number, 'reason', 'the beam is broken'));
    end
    printf_line ('trial %d with %.0f cells: %.3f mm, %.1f kg', question.number, cells, deflection, mass);
  end
  front = imoca_request (address_file, 'front');
  printf_line ('%d designs on the front', numel (front.points));
end

% Deflection in mm of a steel cantilever of 2 m, 5 cm wide, under 2 kN at its end: the bending moment over E I, summed
% over cells by the midpoint rule; and its mass in kg.
function [deflection, mass] = beam (root, taper, cells)
  n = round (cells);
  x = 2.0 * ((1:n) - 0.5) / n;
  height = root * (1.0 - (1.0 - taper) * x / 2.0);
  deflection = 1e3 * sum (2000.0 * (2.0 - x) .^ 2 ./ (210e9 * 0.05 * height .^ 3 / 12.0)) * 2.0 / n;
  mass = 7850.0 * 0.05 * root * (1.0 + taper) / 2.0 * 2.0;
end

function printf_line (varargin)
  fprintf (1, '%s\n', sprintf (varargin{:}));
end
