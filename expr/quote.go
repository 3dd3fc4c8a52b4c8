package expr

import (
	"strings"
)

// reserved are PostgreSQL's keywords that are not unreserved; as identifiers they need
// quotes.
var reserved = wordSet(`
	all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
	boolean both case cast char character check coalesce collate collation column concurrently
	constraint create cross current_catalog current_date current_role current_schema current_time
	current_timestamp current_user dec decimal default deferrable desc distinct do else end except
	exists extract false fetch float for foreign freeze from full grant greatest group grouping
	having ilike in initially inner inout int integer intersect interval into is isnull join
	lateral leading least left like limit localtime localtimestamp national natural nchar none
	normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
	placing position precision primary real references returning right row select session_user
	setof similar smallint some substring symmetric table tablesample then time timestamp to
	trailing treat trim true union unique user using values varchar variadic verbose when where
	window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi
	xmlroot xmlserialize xmltable`)

// wordSet is the words of a text.
func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// QuoteIdent writes a name so that SQL reads it as it is, in double quotes only if it
// needs them.
func QuoteIdent(name string) string {
	if name != "" && (name[0] < '0' || name[0] > '9') && PlainIdent(name) && !reserved[name] {
		return name
	}
	return `"` + DoubleQuotes(name) + `"`
}

// PlainIdent says whether all bytes are such as names have without quotes.
func PlainIdent(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// DoubleQuotes is what stands between the quotes of an identifier.
func DoubleQuotes(s string) string { return strings.ReplaceAll(s, `"`, `""`) }

// QuoteLiteral marks a literal with backslashes by E, so that every setting of
// standard_conforming_strings reads it.
func QuoteLiteral(s string) string {
	if strings.Contains(s, `\`) {
		return "E'" + DoubleEscapes(s) + "'"
	}
	return "'" + DoubleEscapes(s) + "'"
}

// DoubleEscapes is what stands between the quotes of a literal.
func DoubleEscapes(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "'", "''"), `\`, `\\`)
}
