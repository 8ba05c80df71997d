-- The first rows of a new database. Administrators change them afterwards; no later start writes them again.
insert into tenants (tenant_id, name) values ('platform', 'Platform administration');
--> statement-breakpoint
insert into vendors (vendor, enabled) values ('vendor_a', true), ('vendor_b', true);
--> statement-breakpoint
insert into command_types (vendor, command_type, enabled, description, payload_schema) values
  ('vendor_a', 'reboot', true, 'Restarts the device.',
   '{"type":"object","additionalProperties":false}'),
  ('vendor_a', 'set_power', true, 'Switches the device on or off.',
   '{"type":"object","properties":{"power":{"enum":["on","off"]}},"required":["power"],"additionalProperties":false}'),
  ('vendor_a', 'set_temperature', true, 'Sets the target temperature.',
   '{"type":"object","properties":{"celsius":{"type":"number","minimum":5,"maximum":35}},"required":["celsius"],"additionalProperties":false}'),
  ('vendor_a', 'update_firmware', true, 'Installs a firmware version.',
   '{"type":"object","properties":{"version":{"type":"string","pattern":"^[0-9]+\\.[0-9]+\\.[0-9]+$"},"url":{"type":"string","format":"uri","maxLength":2048},"force":{"type":"boolean"}},"required":["version"],"additionalProperties":false}'),
  ('vendor_b', 'reboot', true, 'Restarts the device.',
   '{"type":"object","additionalProperties":false}'),
  ('vendor_b', 'lock', true, 'Locks the device.',
   '{"type":"object","additionalProperties":false}'),
  ('vendor_b', 'unlock', true, 'Unlocks the device for a time.',
   '{"type":"object","properties":{"relock_after_seconds":{"type":"integer","minimum":1,"maximum":3600}},"additionalProperties":false}'),
  ('vendor_b', 'locate', true, 'Asks the device for its position.',
   '{"type":"object","properties":{"accuracy":{"enum":["coarse","fine"]}},"additionalProperties":false}');
--> statement-breakpoint
insert into sweep_marks (name, swept_until) values ('commands', now());
--> statement-breakpoint
insert into relay_lease (name, holder, epoch, expires_at) values ('outbox', 'migration', 0, now() - interval '1 second');
