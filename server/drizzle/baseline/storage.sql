-- Leaves space on each page, so that the updates of a command stay on its page. All commands of a page are dispatched together.
alter table commands set (fillfactor = 40);
-- Storing the last use stays on its page and writes no index entries.
alter table credentials set (fillfactor = 70);
-- Each batch of ended commands updates the rows of its minute: its rows stay on their page and write no index entries.
alter table command_figures set (fillfactor = 50);
-- A row lives for milliseconds. With the default scale factor, vacuum would wait until a share of the few live rows is dead.
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
-- A row fills a page of the table itself. Otherwise Postgres would compress it.
alter table write_probe alter column page set storage plain;
