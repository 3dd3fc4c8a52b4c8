-- Views of information_schema on triggers. Columns that a query does not make are NULL.

CREATE VIEW information_schema.triggers AS
SELECT current_database() AS trigger_catalog, n.nspname AS trigger_schema, t.tgname AS trigger_name,
	em.text AS event_manipulation, current_database() AS event_object_catalog, n.nspname AS event_object_schema,
	c.relname AS event_object_table,
	rank() OVER (PARTITION BY n.oid, c.oid, em.num, t.tgtype & 1, t.tgtype & 66 ORDER BY t.tgname) AS action_order,
	CASE WHEN pg_has_role(c.relowner, 'USAGE')
		THEN (regexp_match(pg_get_triggerdef(t.oid), '.{35,} WHEN \((.+)\) EXECUTE FUNCTION'))[1] END AS action_condition,
	substring(pg_get_triggerdef(t.oid)
		FROM position('EXECUTE FUNCTION' IN substring(pg_get_triggerdef(t.oid) FROM 48)) + 47) AS action_statement,
	CASE t.tgtype & 1 WHEN 1 THEN 'ROW' ELSE 'STATEMENT' END AS action_orientation,
	CASE t.tgtype & 66 WHEN 2 THEN 'BEFORE' WHEN 64 THEN 'INSTEAD OF' ELSE 'AFTER' END AS action_timing,
	t.tgoldtable AS action_reference_old_table, t.tgnewtable AS action_reference_new_table
FROM pg_namespace n
JOIN pg_class c ON n.oid = c.relnamespace
JOIN pg_trigger t ON c.oid = t.tgrelid
JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE')) AS em (num, text) ON t.tgtype & em.num <> 0
WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE')
	OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
	OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.triggered_update_columns AS
SELECT current_database() AS trigger_catalog, n.nspname AS trigger_schema, t.tgname AS trigger_name,
	current_database() AS event_object_catalog, n.nspname AS event_object_schema, c.relname AS event_object_table,
	a.attname AS event_object_column
FROM pg_namespace n
JOIN pg_class c ON n.oid = c.relnamespace
JOIN pg_trigger t ON c.oid = t.tgrelid
JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr)
WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid)
AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'INSERT, UPDATE, REFERENCES'));
