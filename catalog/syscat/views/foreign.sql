-- Tables that other programs own, as PostgreSQL 15 shows them.

CREATE VIEW information_schema._pg_foreign_table_columns AS
SELECT n.nspname, c.relname, a.attname, a.attfdwoptions
FROM pg_foreign_table t
JOIN pg_class c ON c.oid = t.ftrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind = 'f' AND a.attnum > 0
AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.column_options AS
SELECT current_database() AS table_catalog, c.nspname AS table_schema, c.relname AS table_name, c.attname AS column_name,
	o.option_name, o.option_value
FROM information_schema._pg_foreign_table_columns c
CROSS JOIN LATERAL pg_options_to_table(c.attfdwoptions) o;

CREATE VIEW information_schema._pg_foreign_data_wrappers AS
SELECT w.oid, w.fdwowner, w.fdwoptions, current_database() AS foreign_data_wrapper_catalog, w.fdwname AS foreign_data_wrapper_name,
	u.rolname AS authorization_identifier, 'c' AS foreign_data_wrapper_language
FROM pg_foreign_data_wrapper w
JOIN pg_authid u ON u.oid = w.fdwowner
WHERE pg_has_role(w.fdwowner, 'USAGE') OR has_foreign_data_wrapper_privilege(w.oid, 'USAGE');

CREATE VIEW information_schema.foreign_data_wrappers AS
SELECT w.foreign_data_wrapper_catalog, w.foreign_data_wrapper_name, w.authorization_identifier, NULL::varchar AS library_name,
	w.foreign_data_wrapper_language
FROM information_schema._pg_foreign_data_wrappers w;

CREATE VIEW information_schema._pg_foreign_servers AS
SELECT s.oid, s.srvoptions, current_database() AS foreign_server_catalog, s.srvname AS foreign_server_name,
	current_database() AS foreign_data_wrapper_catalog, w.fdwname AS foreign_data_wrapper_name,
	s.srvtype AS foreign_server_type, s.srvversion AS foreign_server_version, u.rolname AS authorization_identifier
FROM pg_foreign_server s
JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw
JOIN pg_authid u ON u.oid = s.srvowner
WHERE pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE');

CREATE VIEW information_schema.foreign_servers AS
SELECT s.foreign_server_catalog, s.foreign_server_name, s.foreign_data_wrapper_catalog, s.foreign_data_wrapper_name,
	s.foreign_server_type, s.foreign_server_version, s.authorization_identifier
FROM information_schema._pg_foreign_servers s;

CREATE VIEW information_schema._pg_foreign_tables AS
SELECT current_database() AS foreign_table_catalog, n.nspname AS foreign_table_schema, c.relname AS foreign_table_name, t.ftoptions,
	current_database() AS foreign_server_catalog, s.srvname AS foreign_server_name, u.rolname AS authorization_identifier
FROM pg_foreign_table t
JOIN pg_foreign_server s ON s.oid = t.ftserver
JOIN pg_class c ON c.oid = t.ftrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_authid u ON u.oid = c.relowner
WHERE c.relkind = 'f'
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.foreign_table_options AS
SELECT t.foreign_table_catalog, t.foreign_table_schema, t.foreign_table_name, o.option_name, o.option_value
FROM information_schema._pg_foreign_tables t
CROSS JOIN LATERAL pg_options_to_table(t.ftoptions) o;

CREATE VIEW information_schema.foreign_tables AS
SELECT t.foreign_table_catalog, t.foreign_table_schema, t.foreign_table_name, t.foreign_server_catalog, t.foreign_server_name
FROM information_schema._pg_foreign_tables t;
