-- Views of information_schema on functions. Columns that a query does not make are NULL.

CREATE VIEW information_schema.routines AS
SELECT current_database() AS specific_catalog, n.nspname AS specific_schema, nameconcatoid(f.proname, f.oid) AS specific_name,
	current_database() AS routine_catalog, n.nspname AS routine_schema, f.proname AS routine_name,
	CASE f.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END AS routine_type,
	CASE WHEN f.prokind = 'p' THEN NULL WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY'
		WHEN tn.nspname = 'pg_catalog' THEN format_type(t.oid, NULL) ELSE 'USER-DEFINED' END AS data_type,
	CASE WHEN tn.oid IS NOT NULL THEN current_database() END AS type_udt_catalog,
	tn.nspname AS type_udt_schema, t.typname AS type_udt_name,
	CASE WHEN f.prokind <> 'p' THEN 0 END AS dtd_identifier,
	CASE WHEN l.lanname = 'sql' THEN 'SQL' ELSE 'EXTERNAL' END AS routine_body,
	CASE WHEN pg_has_role(f.proowner, 'USAGE') THEN f.prosrc END AS routine_definition,
	CASE WHEN l.lanname = 'c' THEN f.prosrc END AS external_name,
	upper(l.lanname) AS external_language, 'GENERAL' AS parameter_style,
	CASE WHEN f.provolatile = 'i' THEN 'YES' ELSE 'NO' END AS is_deterministic, 'MODIFIES' AS sql_data_access,
	CASE WHEN f.prokind = 'p' THEN NULL WHEN f.proisstrict THEN 'YES' ELSE 'NO' END AS is_null_call,
	'YES' AS schema_level_routine, 0 AS max_dynamic_result_sets,
	CASE WHEN f.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END AS security_type,
	'NO' AS as_locator, 'NO' AS is_udt_dependent
FROM pg_proc f
JOIN pg_namespace n ON n.oid = f.pronamespace
JOIN pg_language l ON l.oid = f.prolang
LEFT JOIN pg_type t ON t.oid = f.prorettype AND f.prokind <> 'p'
LEFT JOIN pg_namespace tn ON tn.oid = t.typnamespace
WHERE pg_has_role(f.proowner, 'USAGE') OR has_function_privilege(f.oid, 'EXECUTE');

CREATE VIEW information_schema.parameters AS
SELECT current_database() AS specific_catalog, n.nspname AS specific_schema, nameconcatoid(f.proname, f.oid) AS specific_name,
	k.n AS ordinal_position,
	CASE coalesce(f.proargmodes[k.n], 'i') WHEN 'o' THEN 'OUT' WHEN 't' THEN 'OUT' WHEN 'b' THEN 'INOUT' ELSE 'IN' END AS parameter_mode,
	'NO' AS is_result, 'NO' AS as_locator, nullif(f.proargnames[k.n], '') AS parameter_name,
	CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY'
		WHEN tn.nspname = 'pg_catalog' THEN format_type(t.oid, NULL) ELSE 'USER-DEFINED' END AS data_type,
	current_database() AS udt_catalog, tn.nspname AS udt_schema, t.typname AS udt_name, k.n AS dtd_identifier,
	CASE WHEN pg_has_role(f.proowner, 'USAGE') THEN pg_get_function_arg_default(f.oid, k.n) END AS parameter_default
FROM pg_proc f
JOIN pg_namespace n ON n.oid = f.pronamespace
CROSS JOIN LATERAL information_schema._pg_expandarray(coalesce(f.proallargtypes, f.proargtypes::oid[])) k
JOIN pg_type t ON t.oid = k.x
JOIN pg_namespace tn ON tn.oid = t.typnamespace
WHERE pg_has_role(f.proowner, 'USAGE') OR has_function_privilege(f.oid, 'EXECUTE');

CREATE VIEW information_schema.data_type_privileges AS
SELECT current_database() AS object_catalog, table_schema AS object_schema, table_name AS object_name,
	'TABLE' AS object_type, dtd_identifier
FROM information_schema.columns
UNION ALL
SELECT current_database(), specific_schema, specific_name, 'ROUTINE', dtd_identifier FROM information_schema.parameters
UNION ALL
SELECT current_database(), specific_schema, specific_name, 'ROUTINE', dtd_identifier FROM information_schema.routines;
