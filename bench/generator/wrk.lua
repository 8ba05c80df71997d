-- Sends the requests of a file as they stand there and counts the answers by status.
-- Each request has its length in front of it, in four digits: see requests-file.ts.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  file = assert(io.open(args[1], "rb"))
  accepted, refused, limited, failed, used_up = 0, 0, 0, 0, 0
end

function request()
  local length = file:read(4)
  if length == nil then
    used_up = 1
    wrk.thread:stop()
    return "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
  end
  return file:read(tonumber(length))
end

function response(status)
  if status == 202 then accepted = accepted + 1
  elseif status == 503 then refused = refused + 1
  elseif status == 429 then limited = limited + 1
  else
    failed = failed + 1
    if failed == 1 then io.stderr:write("wrk: an answer has status ", status, "\n") end
  end
end

function done(summary, latency)
  local thread, errors = threads[1], summary.errors
  io.write(string.format(
    '\n{"accepted":%d,"refused":%d,"limited":%d,"failed":%d,"usedUp":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"cpuMs":%f}\n',
    thread:get("accepted"), thread:get("refused"), thread:get("limited"),
    thread:get("failed") + errors.connect + errors.read + errors.write + errors.timeout,
    thread:get("used_up"), summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, os.clock() * 1e3))
end
