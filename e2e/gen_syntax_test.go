package e2e

import "strings"

// syntax is a call with syntax or arguments of its own, which cannot fail.
type syntax struct {
	result, format string
	args           string // the types of what stands for %s; any is any type
}

var syntaxes = []syntax{
	{"numeric", "EXTRACT(year FROM %s)", "timestamp"},
	{"numeric", "EXTRACT(dow FROM %s)", "date"},
	{"numeric", "EXTRACT(epoch FROM %s)", "timestamptz"},
	{"numeric", "EXTRACT(week FROM %s)", "date"},
	{"numeric", "EXTRACT(isoyear FROM %s)", "timestamp"},
	{"numeric", "EXTRACT(milliseconds FROM %s)", "time"},
	{"numeric", "EXTRACT(timezone FROM %s)", "timetz"},
	{"numeric", "EXTRACT(month FROM %s)", "interval"},
	{"numeric", "EXTRACT(epoch FROM %s)", "interval"},
	{"float8", "date_part('hour', %s)", "timestamp"},
	{"numeric", "round(%s, 1)", "numeric"},
	{"numeric", "(%s)::numeric(12, 1)", "int4"},
	{"int8", "(%s %% 7::int8)", "int8"},
	{"int4", "(%s / 3)", "int4"},
	{"int4", "position('a' IN %s)", "text"},
	{"int4", "width_bucket(%s, 0, 10, 5)", "int4"},
	{"int4", "COALESCE(array_length(%s, 1), 0)", "text[]"},
	{"int4", "(%s)[1]", "int4[]"},
	{"text", "(%s)[2]", "text[]"},
	{"numeric", "(%s)[1]", "numeric[]"},
	{"date", "(%s)[1]", "date[]"},
	{"text", "to_char(%s, 'YYYY-MM-DD HH24:MI:SS.US Day Mon')", "timestamp"},
	{"text", "to_char(%s, 'IYYY IW ID Q CC J')", "date"},
	{"text", "to_char(%s, 'FM9990.00')", "numeric"},
	{"text", "to_char(%s, 'S099')", "int4"},
	{"text", "substring(%s FROM 2 FOR 1)", "text"},
	{"text", "substring(%s FROM '[a-b]+')", "text"},
	{"text", "trim(BOTH 'a ' FROM %s)", "text"},
	{"text", "overlay(%s PLACING 'xy' FROM 2 FOR 1)", "text"},
	{"text", "regexp_replace(%s, '[aeiou]', '<\\&>', 'g')", "text"},
	{"text", "split_part(%s, 'b', 1)", "text"},
	{"text", "concat(%s, '-', %s)", "any any"},
	{"text", "format('%%s %%L', %s, %s)", "any any"},
	{"text", "(%s || %s)", "text any"},
	{"text", "lpad(%s, 5, 'xy')", "text"},
	{"text", "encode(%s, 'hex')", "bytea"},
	{"text", "(%s)::varchar(2)", "text"},
	{"bpchar", "(%s)::char(4)", "text"},
	{"varchar", "(%s)::varchar(3)", "any"},
	{"text[]", "regexp_split_to_array(%s, 'b')", "text"},
	{"text[]", "regexp_match(%s, '(a)(b)?')", "text"},
	{"timestamp", "(%s AT TIME ZONE 'America/New_York')", "timestamptz"},
	{"timestamptz", "(%s AT TIME ZONE 'Europe/Paris')", "timestamp"},
	{"timestamptz", "(%s AT TIME ZONE INTERVAL '-03:00')", "timestamp"},
	{"timetz", "(%s AT TIME ZONE '+02')", "timetz"},
	{"timestamp", "date_trunc('month', %s)", "timestamp"},
	{"timestamptz", "date_trunc('week', %s)", "timestamptz"},
	{"timestamp", "date_bin('1 hour', %s, '2000-01-01')", "timestamp"},
	{"timestamp", "(%s)::timestamp(0)", "timestamp"},
	{"interval", "date_trunc('hour', %s)", "interval"},
	{"interval", "age(%s, %s)", "timestamp timestamp"},
	{"interval", "(%s * 2)", "interval"},
	{"interval", "(%s / 3)", "interval"},
	{"interval", "make_interval(days => %s %% 100, hours => 5)", "int4"},
	{"date", "(%s + %s %% 100)", "date int4"},
	{"json", "to_json(%s)", "any"},
	{"json", "row_to_json(ROW(%s, %s))", "any any"},
	{"json", "json_build_object('a', %s, 'b', %s)", "any any"},
	{"jsonb", "to_jsonb(%s)", "any"},
	{"jsonb", "jsonb_build_array(%s, %s)", "any any"},
	{"jsonb", "jsonb_build_object('a', %s, 'c', %s)", "any any"},
	{"jsonb", "(%s -> 'a')", "jsonb"},
	{"jsonb", "(%s #> '{a,b}')", "jsonb"},
	{"jsonb", "jsonb_path_query_array(%s, '$[*] ? (@ != null)')", "jsonb"},
	{"text", "(%s ->> 0)", "jsonb"},
	{"text", "(%s ->> 'a')", "json"},
	{"bool", "(%s @> %s)", "jsonb jsonb"},
	{"bool", "(%s ? 'a')", "jsonb"},
	{"bool", "(%s @> %s)", "int4[] int4[]"},
	{"bool", "(%s && %s)", "text[] text[]"},
	{"bool", "((%s, %s) OVERLAPS (%s, %s))", "timestamp timestamp timestamp timestamp"},
	{"bool", "(%s @? '$.a')", "jsonb"},
	{"bool", "starts_with(%s, 'a')", "text"},
	{"bool", "num_nulls(%s, %s) = 1", "any any"},
}

// withSyntax is nil when nothing of the kind gives the type.
func (m *maker) withSyntax(s *scope, t *valueType, depth int) *piece {
	var found []syntax
	for _, x := range syntaxes {
		if x.result == t.sql {
			found = append(found, x)
		}
	}
	if len(found) == 0 {
		return nil
	}
	m.met("syntax")
	x := pick(m.dice, found)
	var args []*piece
	for _, name := range strings.Fields(x.args) {
		of := typeNamed(name)
		if name == "any" {
			of = pick(m.dice, valueTypes)
		}
		args = append(args, m.expr(s, of, depth))
	}
	return exprOf(t, x.format, args...)
}
