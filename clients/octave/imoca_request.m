% IMOCA_REQUEST  Say something to the server of an iMOCA study (imoca serve), in Octave or MATLAB.
%
%   question = imoca_request ('beam.serve.json', 'ask', struct ('worker', 'node-1'));
%   values = struct ('deflection', 3.1, 'mass', 24.0);
%   imoca_request ('beam.serve.json', 'tell', struct ('number', question.number, 'values', values));
%   imoca_request ('beam.serve.json', 'fail', struct ('number', question.number, 'reason', 'mesh exploded'));
%   front = imoca_request ('beam.serve.json', 'front');
%
% The file is the one that imoca serve writes beside the study. A request that is not answered is sent again for some
% minutes, to wherever the server is by then, which counts it once. What it refuses is an error with its words. Needs
% curl and sed.
% Names that are no identifiers, such as "mass (kg)", are changed by jsondecode; tell them with a containers.Map.
function reply = imoca_request (address_file, route, content)
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
  curl = ['sed -n ' quoted(token) ' ' quoted(address_file) ' | curl --config - --silent --max-time 3600 ' data ...
          ' --write-out "%{http_code}" --output ' quoted(reply_file) ' '];
  for attempt = 1:120
    address = jsondecode (fileread (address_file));
    [status, code] = system ([curl quoted([address.url '/' route])]);
    is_answered = status == 0 && ~strcmp (code(end-2:end), '503');
    if is_answered
      break
    end
    pause (2);
  end
  if ~is_answered
    error ('imoca:silent', 'No answer from %s.', address.url);
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
