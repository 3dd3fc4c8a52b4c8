-- Views of information_schema on relations and what they are made of. Columns that a query
-- does not make are NULL.

CREATE VIEW information_schema.information_schema_catalog_name AS
SELECT current_database() AS catalog_name;

CREATE VIEW information_schema.schemata AS
SELECT current_database() AS catalog_name, n.nspname AS schema_name, o.rolname AS schema_owner
FROM pg_namespace n
JOIN pg_authid o ON o.oid = n.nspowner
WHERE pg_has_role(n.nspowner, 'USAGE') OR has_schema_privilege(n.oid, 'CREATE, USAGE');

CREATE VIEW information_schema.tables AS
SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
	CASE WHEN n.oid = pg_my_temp_schema() THEN 'LOCAL TEMPORARY' WHEN c.relkind = 'v' THEN 'VIEW' WHEN c.relkind = 'f' THEN 'FOREIGN' ELSE 'BASE TABLE' END AS table_type,
	CASE WHEN c.relkind = 'r' OR pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END AS is_insertable_into,
	CASE WHEN t.oid IS NOT NULL THEN current_database() END AS user_defined_type_catalog,
	tn.nspname AS user_defined_type_schema, t.typname AS user_defined_type_name,
	CASE WHEN t.oid IS NOT NULL THEN 'YES' ELSE 'NO' END AS is_typed
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN (pg_type t JOIN pg_namespace tn ON tn.oid = t.typnamespace) ON t.oid = c.reloftype
WHERE c.relkind IN ('r', 'v', 'f', 'p')
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.columns AS
SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name,
	a.attnum AS ordinal_position,
	CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS column_default,
	CASE WHEN a.attnotnull OR t.typtype = 'd' AND t.typnotnull THEN 'NO' ELSE 'YES' END AS is_nullable,
	CASE WHEN tt.typelem <> 0 AND tt.typlen = -1 THEN 'ARRAY'
		WHEN tn.nspname = 'pg_catalog' THEN format_type(tt.oid, NULL)
		ELSE 'USER-DEFINED' END AS data_type,
	information_schema._pg_char_max_length(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS character_maximum_length,
	information_schema._pg_char_octet_length(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS character_octet_length,
	information_schema._pg_numeric_precision(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS numeric_precision,
	information_schema._pg_numeric_precision_radix(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS numeric_precision_radix,
	information_schema._pg_numeric_scale(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS numeric_scale,
	information_schema._pg_datetime_precision(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS datetime_precision,
	information_schema._pg_interval_type(tt.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS interval_type,
	CASE WHEN co.oid IS NOT NULL THEN current_database() END AS collation_catalog,
	con.nspname AS collation_schema, co.collname AS collation_name,
	CASE WHEN t.typtype = 'd' THEN current_database() END AS domain_catalog,
	CASE WHEN t.typtype = 'd' THEN dn.nspname END AS domain_schema,
	CASE WHEN t.typtype = 'd' THEN t.typname END AS domain_name,
	current_database() AS udt_catalog, tn.nspname AS udt_schema, tt.typname AS udt_name,
	a.attnum AS dtd_identifier, 'NO' AS is_self_referencing,
	CASE WHEN a.attidentity <> '' THEN 'YES' ELSE 'NO' END AS is_identity,
	CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END AS identity_generation,
	s.seqstart AS identity_start, s.seqincrement AS identity_increment,
	s.seqmax AS identity_maximum, s.seqmin AS identity_minimum,
	CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END AS identity_cycle,
	CASE WHEN a.attgenerated <> '' THEN 'ALWAYS' ELSE 'NEVER' END AS is_generated,
	CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END AS generation_expression,
	CASE WHEN c.relkind = 'r' OR pg_column_is_updatable(c.oid, a.attnum, false) THEN 'YES' ELSE 'NO' END AS is_updatable
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace dn ON dn.oid = t.typnamespace
JOIN pg_type tt ON tt.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
JOIN pg_namespace tn ON tn.oid = tt.typnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_collation co ON co.oid = a.attcollation AND co.collname <> 'default'
LEFT JOIN pg_namespace con ON con.oid = co.collnamespace
LEFT JOIN (pg_depend p JOIN pg_sequence s ON s.seqrelid = p.objid AND p.classid = 'pg_class'::regclass AND p.deptype = 'i')
	ON p.refclassid = 'pg_class'::regclass AND p.refobjid = a.attrelid AND p.refobjsubid = a.attnum
WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.column_udt_usage AS
SELECT current_database() AS udt_catalog, tn.nspname AS udt_schema, tt.typname AS udt_name,
	current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name, a.attname AS column_name
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_type tt ON tt.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
JOIN pg_namespace tn ON tn.oid = tt.typnamespace
WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND pg_has_role(tt.typowner, 'USAGE');

CREATE VIEW information_schema.column_column_usage AS
SELECT DISTINCT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
	base.attname AS column_name, made.attname AS dependent_column
FROM pg_attrdef d
JOIN pg_depend p ON p.objid = d.oid AND p.classid = 'pg_attrdef'::regclass AND p.refclassid = 'pg_class'::regclass
JOIN pg_class c ON c.oid = d.adrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute made ON made.attrelid = d.adrelid AND made.attnum = d.adnum
JOIN pg_attribute base ON base.attrelid = p.refobjid AND base.attnum = p.refobjsubid
WHERE p.refobjid = d.adrelid AND base.attnum <> made.attnum AND made.attgenerated <> '' AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.views AS
SELECT current_database() AS table_catalog, n.nspname AS table_schema, c.relname AS table_name,
	CASE WHEN pg_has_role(c.relowner, 'USAGE') THEN pg_get_viewdef(c.oid) END AS view_definition,
	CASE WHEN 'check_option=cascaded' = ANY (c.reloptions) THEN 'CASCADED'
		WHEN 'check_option=local' = ANY (c.reloptions) THEN 'LOCAL' ELSE 'NONE' END AS check_option,
	CASE WHEN pg_relation_is_updatable(c.oid, false) & 20 = 20 THEN 'YES' ELSE 'NO' END AS is_updatable,
	CASE WHEN pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END AS is_insertable_into,
	CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 81 = 81) THEN 'YES' ELSE 'NO' END
		AS is_trigger_updatable,
	CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 73 = 73) THEN 'YES' ELSE 'NO' END
		AS is_trigger_deletable,
	CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 69 = 69) THEN 'YES' ELSE 'NO' END
		AS is_trigger_insertable_into
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v'
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.view_column_usage AS
SELECT DISTINCT current_database() AS view_catalog, vn.nspname AS view_schema, v.relname AS view_name,
	current_database() AS table_catalog, tn.nspname AS table_schema, t.relname AS table_name, a.attname AS column_name
FROM pg_rewrite r
JOIN pg_class v ON v.oid = r.ev_class
JOIN pg_namespace vn ON vn.oid = v.relnamespace
JOIN pg_depend p ON p.objid = r.oid AND p.classid = 'pg_rewrite'::regclass AND p.refclassid = 'pg_class'::regclass
JOIN pg_class t ON t.oid = p.refobjid
JOIN pg_namespace tn ON tn.oid = t.relnamespace
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.refobjsubid
WHERE v.relkind = 'v' AND t.oid <> v.oid AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.view_table_usage AS
SELECT DISTINCT current_database() AS view_catalog, vn.nspname AS view_schema, v.relname AS view_name,
	current_database() AS table_catalog, tn.nspname AS table_schema, t.relname AS table_name
FROM pg_rewrite r
JOIN pg_class v ON v.oid = r.ev_class
JOIN pg_namespace vn ON vn.oid = v.relnamespace
JOIN pg_depend p ON p.objid = r.oid AND p.classid = 'pg_rewrite'::regclass AND p.refclassid = 'pg_class'::regclass
JOIN pg_class t ON t.oid = p.refobjid
JOIN pg_namespace tn ON tn.oid = t.relnamespace
WHERE v.relkind = 'v' AND t.oid <> v.oid AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.sequences AS
SELECT current_database() AS sequence_catalog, n.nspname AS sequence_schema, c.relname AS sequence_name,
	format_type(s.seqtypid, NULL) AS data_type,
	information_schema._pg_numeric_precision(s.seqtypid, -1) AS numeric_precision,
	2 AS numeric_precision_radix, 0 AS numeric_scale,
	s.seqstart AS start_value, s.seqmin AS minimum_value, s.seqmax AS maximum_value, s.seqincrement AS increment,
	CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END AS cycle_option
FROM pg_sequence s
JOIN pg_class c ON c.oid = s.seqrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND NOT pg_is_other_temp_schema(n.oid)
AND NOT EXISTS (SELECT 1 FROM pg_depend p WHERE p.classid = 'pg_class'::regclass AND p.objid = c.oid AND p.deptype = 'i')
AND (pg_has_role(c.relowner, 'USAGE') OR has_sequence_privilege(c.oid, 'SELECT, UPDATE, USAGE'));

CREATE VIEW information_schema.element_types AS
SELECT current_database() AS object_catalog, n.nspname AS object_schema, c.relname AS object_name, 'TABLE' AS object_type,
	a.attnum AS collection_type_identifier,
	CASE WHEN en.nspname = 'pg_catalog' THEN format_type(e.oid, NULL) ELSE 'USER-DEFINED' END AS data_type,
	CASE WHEN co.oid IS NOT NULL THEN current_database() END AS collation_catalog,
	con.nspname AS collation_schema, co.collname AS collation_name,
	current_database() AS udt_catalog, en.nspname AS udt_schema, e.typname AS udt_name, 'a' || a.attnum AS dtd_identifier
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid
JOIN pg_type t ON t.oid = a.atttypid AND t.typelem <> 0 AND t.typlen = -1
JOIN pg_type e ON e.oid = t.typelem
JOIN pg_namespace en ON en.oid = e.typnamespace
LEFT JOIN pg_collation co ON co.oid = a.attcollation AND co.collname <> 'default'
LEFT JOIN pg_namespace con ON con.oid = co.collnamespace
WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped
AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.character_sets AS
SELECT 'UTF8' AS character_set_name, 'UCS' AS character_repertoire, 'UTF8' AS form_of_use,
	current_database() AS default_collate_catalog, n.nspname AS default_collate_schema, c.collname AS default_collate_name
FROM pg_database d
LEFT JOIN pg_collation c ON c.collcollate = d.datcollate AND c.collctype = d.datctype
LEFT JOIN pg_namespace n ON n.oid = c.collnamespace
WHERE d.datname = current_database()
ORDER BY char_length(c.collname) DESC, c.collname
LIMIT 1;

CREATE VIEW information_schema.collations AS
SELECT current_database() AS collation_catalog, n.nspname AS collation_schema, c.collname AS collation_name, 'NO PAD' AS pad_attribute
FROM pg_collation c
JOIN pg_namespace n ON n.oid = c.collnamespace
WHERE c.collencoding IN (-1, (SELECT d.encoding FROM pg_database d WHERE d.datname = current_database()));

CREATE VIEW information_schema.collation_character_set_applicability AS
SELECT collation_catalog, collation_schema, collation_name, 'UTF8' AS character_set_name
FROM information_schema.collations;
