-- Views of information_schema on types that users made. Columns that a query does not make are NULL.

CREATE VIEW information_schema.domains AS
SELECT current_database() AS domain_catalog, n.nspname AS domain_schema, t.typname AS domain_name,
	CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY'
		WHEN bn.nspname = 'pg_catalog' THEN format_type(t.typbasetype, NULL)
		ELSE 'USER-DEFINED' END AS data_type,
	information_schema._pg_char_max_length(t.typbasetype, t.typtypmod) AS character_maximum_length,
	information_schema._pg_char_octet_length(t.typbasetype, t.typtypmod) AS character_octet_length,
	CASE WHEN co.oid IS NOT NULL THEN current_database() END AS collation_catalog,
	con.nspname AS collation_schema, co.collname AS collation_name,
	information_schema._pg_numeric_precision(t.typbasetype, t.typtypmod) AS numeric_precision,
	information_schema._pg_numeric_precision_radix(t.typbasetype, t.typtypmod) AS numeric_precision_radix,
	information_schema._pg_numeric_scale(t.typbasetype, t.typtypmod) AS numeric_scale,
	information_schema._pg_datetime_precision(t.typbasetype, t.typtypmod) AS datetime_precision,
	information_schema._pg_interval_type(t.typbasetype, t.typtypmod) AS interval_type,
	t.typdefault AS domain_default,
	current_database() AS udt_catalog, bn.nspname AS udt_schema, b.typname AS udt_name, 1 AS dtd_identifier
FROM pg_type t
JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN pg_type b ON b.oid = t.typbasetype
JOIN pg_namespace bn ON bn.oid = b.typnamespace
LEFT JOIN pg_collation co ON co.oid = t.typcollation AND co.collname <> 'default'
LEFT JOIN pg_namespace con ON con.oid = co.collnamespace
WHERE t.typtype = 'd' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.domain_constraints AS
SELECT current_database() AS constraint_catalog, xn.nspname AS constraint_schema, x.conname AS constraint_name,
	current_database() AS domain_catalog, n.nspname AS domain_schema, t.typname AS domain_name,
	CASE WHEN x.condeferrable THEN 'YES' ELSE 'NO' END AS is_deferrable,
	CASE WHEN x.condeferred THEN 'YES' ELSE 'NO' END AS initially_deferred
FROM pg_constraint x
JOIN pg_namespace xn ON xn.oid = x.connamespace
JOIN pg_type t ON t.oid = x.contypid
JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE');

CREATE VIEW information_schema.domain_udt_usage AS
SELECT current_database() AS udt_catalog, bn.nspname AS udt_schema, b.typname AS udt_name,
	current_database() AS domain_catalog, n.nspname AS domain_schema, t.typname AS domain_name
FROM pg_type t
JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN pg_type b ON b.oid = t.typbasetype
JOIN pg_namespace bn ON bn.oid = b.typnamespace
WHERE t.typtype = 'd' AND pg_has_role(b.typowner, 'USAGE');

CREATE VIEW information_schema.column_domain_usage AS
SELECT current_database() AS domain_catalog, tn.nspname AS domain_schema, t.typname AS domain_name,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace tn ON tn.oid = t.typnamespace
WHERE t.typtype = 'd' AND c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped
AND pg_has_role(t.typowner, 'USAGE');
