# Signs the requests of standard input.
require_relative 'signing'

$stdin.each_line(chomp: true) do |line|
  *fields, body = line.split("\t", -1)
  puts signature(*fields, [body].pack('H*'))
end
