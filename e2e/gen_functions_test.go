package e2e

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

// call is an overload of a function that takes and gives values of the types that
// programs use.
type call struct {
	f      *expr.Function
	args   []*valueType
	result *valueType
}

// notAsked are functions whose results differ from server to server, or from moment to
// moment, or that make much of little.
var notAsked = []string{
	"pg_", "current_", "has_", "txid_", "inet_", "col_description", "obj_description", "shobj_description", "version", "format_type",
	"to_reg", "set_config", "nextval", "currval", "lastval", "setval", "repeat", "user", "session_user", "now", "statement_timestamp",
	"transaction_timestamp", "clock_timestamp", "timeofday", "localtime", "random", "setseed", "gen_random_uuid", "age", "query_to",
	"bit_reverse", "uuid_extract", "zproxy", // PostgreSQL 15 has none
	// the last digits of these are the C library's
	"sin", "cos", "tan", "asin", "acos", "atan", "cot", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "dcbrt", "ln", "log", "dlog", "exp", "dexp", "pow", "dpow", "sequence", "generate_series", "factorial", "row_security_active",
}

// quotedNames are words of the grammar, too.
var quotedNames = []string{"position", "overlay", "substring", "extract", "char", "trim", "normalize", "xmlexists",
	"is_normalized", "coalesce"}

// allCalls lists the overloads, those of polymorphic functions for two types of elements.
func allCalls() (scalar, sets []call) {
	for _, p := range builtin.Procs() {
		f := builtin.FunctionByOID(p.OID)
		if f == nil || f.Volatility == expr.Volatile ||
			slices.ContainsFunc(notAsked, func(s string) bool { return strings.HasPrefix(f.Name, s) }) {
			continue
		}
		for _, element := range elementsFor(f) {
			c := call{f: f}
			known := true
			for _, a := range f.Args {
				t := typeOf(concrete(a, element))
				known = known && t != nil
				c.args = append(c.args, t)
			}
			c.result = typeOf(concrete(f.Result, element))
			switch {
			case !known:
			case f.Rows != nil && f.Out == nil && c.result != nil:
				sets = append(sets, c)
			case f.Rows == nil && c.result != nil && len(c.args) > 0:
				scalar = append(scalar, c)
			}
		}
	}
	return scalar, sets
}

func elementsFor(f *expr.Function) []types.OID {
	polymorphic := func(o types.OID) bool { return concrete(o, types.OIDInt4) != o }
	if slices.ContainsFunc(f.Args, polymorphic) {
		return []types.OID{types.OIDInt4, types.OIDText, types.OIDNumeric}
	}
	return []types.OID{types.OIDInt4}
}

// concrete is a type with that of the elements in the place of pseudo-types.
func concrete(o, element types.OID) types.OID {
	const int4Range = types.OID(3904) // over the only element that is asked for with it
	switch o {
	case types.OIDAny, types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible:
		return element
	case types.OIDAnyArray, types.OIDAnyCompatibleArray:
		return types.InfoOf(element).Array
	case types.OIDAnyRange:
		return int4Range
	case types.OIDAnyMultirange:
		return types.RangeTypeOf(int4Range).Multirange
	}
	return o
}

// piece is the call with its arguments.
func (c call) piece(args ...*piece) *piece {
	switch {
	case c.f.Operator != "" && len(args) == 2:
		return exprOf(c.result, "(%s "+strings.ReplaceAll(c.f.Operator, "%", "%%")+" %s)", args...)
	case c.f.Operator != "":
		return exprOf(c.result, "("+c.f.Operator+" %s)", args...)
	}
	name := c.f.Name
	if slices.Contains(quotedNames, name) {
		name = `pg_catalog."` + name + `"`
	}
	return exprOf(c.result, name+"(%s)", listOfAll(args))
}

// listOfAll is a list from which nothing can be dropped.
func listOfAll(parts []*piece) *piece {
	return phrase(strings.TrimSuffix(strings.Repeat("%s, ", len(parts)), ", "), parts...)
}

// growing begin the names of functions that are total for the values but not for what
// others make of them, or that are slow for it.
var growing = []string{"exp", "power", "pow", "dpow", "lpad", "rpad", "to_char", "cosh", "sinh", "gcd", "lcm", "format",
	"cot", "cotd", "make_interval", "hash", "textregex", "texticregex", "bpcharregex", "bpcharicregex", "regexp_", "similar_to_escape", "like", "notlike", "bpcharlike", "bpcharnlike", "texticlike", "log", "ln", "dlog1", "dlog10", "log10"}

// trial computes a function for all combinations of the values of its arguments.
func (c call) trial() string {
	var args []*piece
	var from []string
	for i, t := range c.args {
		name := string(rune('a' + i))
		args = append(args, word(name+".x"))
		var rows []string
		for j := range min(len(t.values), 12/len(c.args)+1) {
			rows = append(rows, "("+t.literal(j)+")")
		}
		rows = append(rows, "(NULL)")
		from = append(from, "(VALUES "+strings.Join(rows, ", ")+") AS "+name+" (x)")
	}
	return "SELECT count((" + c.piece(args...).String() + ")::text) FROM " + strings.Join(from, ", ")
}
