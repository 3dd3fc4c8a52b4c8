-- Views of information_schema on constraints. Columns that a query does not make are NULL.

CREATE VIEW information_schema.table_constraints AS
SELECT current_database() AS constraint_catalog, cn.nspname AS constraint_schema, x.conname AS constraint_name,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
	CASE x.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' END AS constraint_type,
	CASE WHEN x.condeferrable THEN 'YES' ELSE 'NO' END AS is_deferrable,
	CASE WHEN x.condeferred THEN 'YES' ELSE 'NO' END AS initially_deferred,
	CASE WHEN NOT x.convalidated AND pg_get_constraintdef(x.oid) LIKE '% NOT ENFORCED' THEN 'NO' ELSE 'YES' END AS enforced,
	CASE WHEN x.contype = 'u' THEN CASE WHEN i.indnullsnotdistinct THEN 'NO' ELSE 'YES' END END AS nulls_distinct
FROM pg_constraint x
JOIN pg_namespace cn ON cn.oid = x.connamespace
JOIN pg_class c ON c.oid = x.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = x.conindid
WHERE x.contype NOT IN ('t', 'x') AND c.relkind IN ('r', 'p')
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'))
UNION ALL
SELECT current_database(), n.nspname, n.oid || '_' || c.oid || '_' || a.attnum || '_not_null',
	current_database(), n.nspname, c.relname, 'CHECK', 'NO', 'NO', 'YES', NULL
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.key_column_usage AS
SELECT current_database() AS constraint_catalog, cn.nspname AS constraint_schema, x.conname AS constraint_name,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name,
	k.n AS ordinal_position,
	CASE WHEN x.contype = 'f' THEN
		(SELECT i.n FROM pg_index y, information_schema._pg_expandarray(y.indkey) i
		WHERE y.indexrelid = x.conindid AND i.x = x.confkey[k.n]) END AS position_in_unique_constraint
FROM pg_constraint x
JOIN pg_namespace cn ON cn.oid = x.connamespace
JOIN pg_class c ON c.oid = x.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL information_schema._pg_expandarray(x.conkey) k
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.x
WHERE x.contype IN ('p', 'u', 'f') AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.check_constraints AS
SELECT current_database() AS constraint_catalog, n.nspname AS constraint_schema, x.conname AS constraint_name,
	substring(pg_get_constraintdef(x.oid) FROM 7) AS check_clause
FROM pg_constraint x
JOIN pg_namespace n ON n.oid = x.connamespace
LEFT JOIN pg_class c ON c.oid = x.conrelid
LEFT JOIN pg_type t ON t.oid = x.contypid
WHERE x.contype = 'c' AND pg_has_role(coalesce(c.relowner, t.typowner), 'USAGE')
UNION
SELECT current_database(), n.nspname, n.oid || '_' || c.oid || '_' || a.attnum || '_not_null', a.attname || ' IS NOT NULL'
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.check_constraint_routine_usage AS
SELECT DISTINCT current_database() AS constraint_catalog, n.nspname AS constraint_schema, x.conname AS constraint_name,
	current_database() AS specific_catalog, fn.nspname AS specific_schema, nameconcatoid(f.proname, f.oid) AS specific_name
FROM pg_constraint x
JOIN pg_namespace n ON n.oid = x.connamespace
JOIN pg_depend p ON p.objid = x.oid AND p.classid = 'pg_constraint'::regclass AND p.refclassid = 'pg_proc'::regclass
JOIN pg_proc f ON f.oid = p.refobjid
JOIN pg_namespace fn ON fn.oid = f.pronamespace
WHERE x.contype = 'c' AND pg_has_role(f.proowner, 'USAGE');

CREATE VIEW information_schema.constraint_column_usage AS
SELECT DISTINCT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name,
	current_database() AS constraint_catalog, cn.nspname AS constraint_schema, x.conname AS constraint_name
FROM pg_constraint x
JOIN pg_namespace cn ON cn.oid = x.connamespace
JOIN pg_depend p ON p.objid = x.oid AND p.classid = 'pg_constraint'::regclass AND p.refclassid = 'pg_class'::regclass
JOIN pg_class c ON c.oid = p.refobjid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.refobjsubid
WHERE x.contype = 'c' AND c.relkind IN ('r', 'p') AND NOT a.attisdropped AND pg_has_role(c.relowner, 'USAGE')
UNION ALL
SELECT current_database(), n.nspname, c.relname, a.attname, current_database(), cn.nspname, x.conname
FROM pg_constraint x
JOIN pg_namespace cn ON cn.oid = x.connamespace
JOIN pg_class c ON c.oid = CASE x.contype WHEN 'f' THEN x.confrelid ELSE x.conrelid END
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
WHERE a.attnum = ANY (CASE x.contype WHEN 'f' THEN x.confkey ELSE x.conkey END)
AND x.contype IN ('p', 'u', 'f') AND c.relkind IN ('r', 'p') AND NOT a.attisdropped AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.constraint_table_usage AS
SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
	current_database() AS constraint_catalog, cn.nspname AS constraint_schema, x.conname AS constraint_name
FROM pg_constraint x
JOIN pg_namespace cn ON cn.oid = x.connamespace
JOIN pg_class c ON c.oid = CASE x.contype WHEN 'f' THEN x.confrelid ELSE x.conrelid END
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.contype IN ('p', 'u', 'f') AND c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.referential_constraints AS
SELECT current_database() AS constraint_catalog, n.nspname AS constraint_schema, x.conname AS constraint_name,
	CASE WHEN un.oid IS NOT NULL THEN current_database() END AS unique_constraint_catalog,
	un.nspname AS unique_constraint_schema, u.conname AS unique_constraint_name,
	CASE x.confmatchtype WHEN 'f' THEN 'FULL' WHEN 'p' THEN 'PARTIAL' WHEN 's' THEN 'NONE' END AS match_option,
	CASE x.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
		WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION' END AS update_rule,
	CASE x.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
		WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION' END AS delete_rule
FROM pg_constraint x
JOIN pg_namespace n ON n.oid = x.connamespace
JOIN pg_class c ON c.oid = x.conrelid
LEFT JOIN pg_constraint u ON u.conindid = x.conindid AND u.contype IN ('p', 'u') AND u.conrelid = x.confrelid
LEFT JOIN pg_namespace un ON un.oid = u.connamespace
WHERE x.contype = 'f'
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));
