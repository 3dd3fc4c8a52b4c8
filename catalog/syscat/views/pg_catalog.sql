-- Views of pg_catalog over its tables. Columns that a query does not make are NULL.

CREATE VIEW pg_catalog.pg_roles AS
SELECT a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication,
	a.rolconnlimit, '********' AS rolpassword, a.rolvaliduntil, a.rolbypassrls, s.setconfig AS rolconfig, a.oid
FROM pg_authid a
LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0;

CREATE VIEW pg_catalog.pg_shadow AS
SELECT a.rolname AS usename, a.oid AS usesysid, a.rolcreatedb AS usecreatedb, a.rolsuper AS usesuper,
	a.rolreplication AS userepl, a.rolbypassrls AS usebypassrls, a.rolpassword AS passwd,
	a.rolvaliduntil AS valuntil, s.setconfig AS useconfig
FROM pg_authid a
LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0
WHERE a.rolcanlogin;

CREATE VIEW pg_catalog.pg_user AS
SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper,
	rolreplication AS userepl, rolbypassrls AS usebypassrls, rolpassword AS passwd,
	rolvaliduntil AS valuntil, rolconfig AS useconfig
FROM pg_roles
WHERE rolcanlogin;

CREATE VIEW pg_catalog.pg_group AS
SELECT rolname AS groname, oid AS grosysid, ARRAY(SELECT m.member FROM pg_auth_members m WHERE m.roleid = a.oid) AS grolist
FROM pg_authid a
WHERE NOT rolcanlogin;

CREATE VIEW pg_catalog.pg_tables AS
SELECT n.nspname AS schemaname, c.relname AS tablename, pg_get_userbyid(c.relowner) AS tableowner,
	t.spcname AS tablespace, c.relhasindex AS hasindexes, c.relhasrules AS hasrules,
	c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
FROM pg_class c
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relkind IN ('r', 'p');

CREATE VIEW pg_catalog.pg_views AS
SELECT n.nspname AS schemaname, c.relname AS viewname, pg_get_userbyid(c.relowner) AS viewowner,
	pg_get_viewdef(c.oid) AS definition
FROM pg_class c
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v';

CREATE VIEW pg_catalog.pg_indexes AS
SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, t.spcname AS tablespace,
	pg_get_indexdef(i.oid) AS indexdef
FROM pg_index x
JOIN pg_class c ON c.oid = x.indrelid
JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = i.reltablespace
WHERE c.relkind IN ('r', 'm', 'p');

CREATE VIEW pg_catalog.pg_sequences AS
SELECT n.nspname AS schemaname, c.relname AS sequencename, pg_get_userbyid(c.relowner) AS sequenceowner,
	s.seqtypid AS data_type, s.seqstart AS start_value, s.seqmin AS min_value, s.seqmax AS max_value,
	s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size,
	CASE WHEN has_sequence_privilege(c.oid, 'SELECT,USAGE') THEN pg_sequence_last_value(c.oid) END AS last_value
FROM pg_sequence s
JOIN pg_class c ON c.oid = s.seqrelid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND NOT pg_is_other_temp_schema(n.oid);
