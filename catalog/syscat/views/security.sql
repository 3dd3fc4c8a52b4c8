-- Views of pg_catalog that tell of row security.

CREATE VIEW pg_catalog.pg_policies AS
SELECT n.nspname AS schemaname, c.relname AS tablename, p.polname AS policyname,
	CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END AS permissive,
	CASE WHEN p.polroles = '{0}' THEN '{public}'::name[]
		ELSE ARRAY(SELECT a.rolname FROM pg_authid a WHERE a.oid = ANY (p.polroles) ORDER BY a.rolname) END AS roles,
	CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
		WHEN '*' THEN 'ALL' END AS cmd,
	pg_get_expr(p.polqual, p.polrelid) AS qual, pg_get_expr(p.polwithcheck, p.polrelid) AS with_check
FROM pg_policy p
JOIN pg_class c ON c.oid = p.polrelid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace;
