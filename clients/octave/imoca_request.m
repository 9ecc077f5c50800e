% IMOCA_REQUEST  Say something to the server of an iMOCA study (imoca serve), in Octave or MATLAB.
%
%   question = imoca_request ('beam.serve.json', 'ask', struct ('worker', 'node-1'));
%   values = struct ('deflection', 3.1, 'mass', 24.0);
%   imoca_request ('beam.serve.json', 'tell', struct ('number', question.number, 'values', values));
%   imoca_request ('beam.serve.json', 'fail', struct ('number', question.number, 'reason', 'mesh exploded'));
%   front = imoca_request ('beam.serve.json', 'front');
%
% The file is the one that imoca serve writes beside the study. A request that is not answered is sent again for some
% minutes: the server counts it once. What the server refuses is an error with its words. Needs curl and sed.
% Names that are no identifiers, such as "mass (kg)", are changed by jsondecode; tell them with a containers.Map.
function reply = imoca_request (address_file, route, content)
  address = jsondecode (fileread (address_file));
  reply_file = [tempname() '.reply.json'];
  body_file = [tempname() '.body.json'];
  tidy = onCleanup (@() forget ({reply_file, body_file}));
  data = '';
  if nargin > 2
    write_text (body_file, jsonencode (content));
    data = ['--data-binary @' quoted(body_file)];
  end
  % The token goes from the file to curl by a pipe: everybody on a machine can see the arguments of its programs.
  token = 's/^.*"token": *"\([^"]*\)".*$/header = "Authorization: Bearer \1"/p';
  patience = '--silent --show-error --retry 30 --retry-delay 2 --retry-all-errors --max-time 3600';
  command = ['sed -n ' quoted(token) ' ' quoted(address_file) ' | curl --config - ' patience ' ' data ...
             ' --write-out "%{http_code}" --output ' quoted(reply_file) ' ' quoted([address.url '/' route])];
  [status, code] = system (command);
  if status ~= 0
    error ('imoca:silent', 'No answer from %s: %s', address.url, code);
  end
  reply = jsondecode (fileread (reply_file));
  if ~strcmp (code(end-2:end), '200')
    error ('imoca:refused', '%s: %s %s', code(end-2:end), reply.error, reply.hint);
  end
end

function write_text (path, text)
  file = fopen (path, 'w');
  fwrite (file, unicode2native (text, 'UTF-8'));
  fclose (file);
end

function text = quoted (text)
  text = ['''' strrep(text, '''', '''\''''') ''''];
end

function forget (paths)
  for i = 1:numel (paths)
    if exist (paths{i}, 'file')
      delete (paths{i});
    end
  end
end
