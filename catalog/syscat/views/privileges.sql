-- Views of information_schema on roles and grants. Columns that a query does not make are
-- NULL.

CREATE VIEW information_schema.enabled_roles AS
SELECT rolname AS role_name
FROM pg_authid
WHERE pg_has_role(oid, 'USAGE');

CREATE VIEW information_schema.applicable_roles AS
SELECT a.rolname AS grantee, r.rolname AS role_name, CASE WHEN m.admin_option THEN 'YES' ELSE 'NO' END AS is_grantable
FROM (
	SELECT member, roleid, admin_option FROM pg_auth_members
	UNION
	SELECT d.datdba, o.oid, false FROM pg_database d, pg_authid o
	WHERE d.datname = current_database() AND o.rolname = 'pg_database_owner'
) m
JOIN pg_authid a ON a.oid = m.member
JOIN pg_authid r ON r.oid = m.roleid
WHERE pg_has_role(a.oid, 'USAGE');

CREATE VIEW information_schema.administrable_role_authorizations AS
SELECT grantee, role_name, is_grantable
FROM information_schema.applicable_roles
WHERE is_grantable = 'YES';

CREATE VIEW information_schema.table_privileges AS
SELECT o.rolname AS grantor, coalesce(g.rolname, 'PUBLIC') AS grantee,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, x.privilege_type,
	CASE WHEN x.is_grantable OR pg_has_role(x.grantee, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END AS is_grantable,
	CASE WHEN x.privilege_type = 'SELECT' THEN 'YES' ELSE 'NO' END AS with_hierarchy
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
JOIN pg_authid o ON o.oid = x.grantor
LEFT JOIN pg_authid g ON g.oid = x.grantee
WHERE c.relkind IN ('r', 'v', 'f', 'p') AND (g.oid IS NOT NULL OR x.grantee = 0)
AND (x.grantee = 0 OR pg_has_role(x.grantor, 'USAGE') OR pg_has_role(x.grantee, 'USAGE'));

CREATE VIEW information_schema.role_table_grants AS
SELECT grantor, grantee, table_catalog, table_schema, table_name, privilege_type, is_grantable, with_hierarchy
FROM information_schema.table_privileges
WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.column_privileges AS
SELECT o.rolname AS grantor, coalesce(g.rolname, 'PUBLIC') AS grantee,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, x.attname AS column_name, x.privilege_type,
	CASE WHEN x.is_grantable OR pg_has_role(x.grantee, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END AS is_grantable
FROM (
	SELECT a.attrelid, a.attname, t.grantor, t.grantee, t.privilege_type, t.is_grantable
	FROM pg_class r
	CROSS JOIN LATERAL aclexplode(coalesce(r.relacl, acldefault('r', r.relowner))) t
	JOIN pg_attribute a ON a.attrelid = r.oid
	WHERE a.attnum > 0 AND NOT a.attisdropped AND t.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'REFERENCES')
	UNION
	SELECT a.attrelid, a.attname, t.grantor, t.grantee, t.privilege_type, t.is_grantable
	FROM pg_attribute a
	CROSS JOIN LATERAL aclexplode(a.attacl) t
	WHERE a.attnum > 0 AND NOT a.attisdropped
) x
JOIN pg_class c ON c.oid = x.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_authid o ON o.oid = x.grantor
LEFT JOIN pg_authid g ON g.oid = x.grantee
WHERE c.relkind IN ('r', 'v', 'f', 'p') AND (g.oid IS NOT NULL OR x.grantee = 0)
AND (x.grantee = 0 OR pg_has_role(x.grantor, 'USAGE') OR pg_has_role(x.grantee, 'USAGE'));

CREATE VIEW information_schema.role_column_grants AS
SELECT grantor, grantee, table_catalog, table_schema, table_name, column_name, privilege_type, is_grantable
FROM information_schema.column_privileges
WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.usage_privileges AS
SELECT o.rolname AS grantor, 'PUBLIC' AS grantee, current_database() AS object_catalog, n.nspname AS object_schema,
	c.collname AS object_name, 'COLLATION' AS object_type, 'USAGE' AS privilege_type, 'NO' AS is_grantable
FROM pg_collation c
JOIN pg_namespace n ON n.oid = c.collnamespace
JOIN pg_authid o ON o.oid = c.collowner
WHERE c.collencoding IN (-1, (SELECT d.encoding FROM pg_database d WHERE d.datname = current_database()))
UNION ALL
SELECT o.rolname, coalesce(g.rolname, 'PUBLIC'), current_database(), n.nspname, c.relname, 'SEQUENCE', 'USAGE',
	CASE WHEN x.is_grantable OR pg_has_role(x.grantee, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
JOIN pg_authid o ON o.oid = x.grantor
LEFT JOIN pg_authid g ON g.oid = x.grantee
WHERE c.relkind = 'S' AND x.privilege_type = 'USAGE' AND (g.oid IS NOT NULL OR x.grantee = 0)
AND (x.grantee = 0 OR pg_has_role(x.grantor, 'USAGE') OR pg_has_role(x.grantee, 'USAGE'));

CREATE VIEW information_schema.role_usage_grants AS
SELECT grantor, grantee, object_catalog, object_schema, object_name, object_type, privilege_type, is_grantable
FROM information_schema.usage_privileges
WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.routine_privileges AS
SELECT o.rolname AS grantor, coalesce(g.rolname, 'PUBLIC') AS grantee,
	current_database() AS specific_catalog, n.nspname AS specific_schema, nameconcatoid(f.proname, f.oid) AS specific_name,
	current_database() AS routine_catalog, n.nspname AS routine_schema, f.proname AS routine_name, x.privilege_type,
	CASE WHEN x.is_grantable OR pg_has_role(x.grantee, f.proowner, 'USAGE') THEN 'YES' ELSE 'NO' END AS is_grantable
FROM pg_proc f
JOIN pg_namespace n ON n.oid = f.pronamespace
CROSS JOIN LATERAL aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) x
JOIN pg_authid o ON o.oid = x.grantor
LEFT JOIN pg_authid g ON g.oid = x.grantee
WHERE (g.oid IS NOT NULL OR x.grantee = 0)
AND (x.grantee = 0 OR pg_has_role(x.grantor, 'USAGE') OR pg_has_role(x.grantee, 'USAGE'));

CREATE VIEW information_schema.role_routine_grants AS
SELECT grantor, grantee, specific_catalog, specific_schema, specific_name, routine_catalog, routine_schema, routine_name,
	privilege_type, is_grantable
FROM information_schema.routine_privileges
WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);
