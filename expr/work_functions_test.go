package expr_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/work"
	"zproxy/types"
)

const (
	// workSize is the length of the texts that functions are given, and workAsked how often a
	// function must ask at least whether its statement is to end while it works on one of them.
	workSize  = 1 << 19
	workAsked = 4
)

// TestEveryFunctionCountsItsWork wants each function of the table to count its work on large
// arguments, unless all of its arguments are short or it is in the list of those that take no time.
func TestEveryFunctionCountsItsWork(t *testing.T) {
	excused := map[string]bool{}
	for _, f := range builtin.All() {
		if f.Rows == nil && !f.AnyArgs && shortArguments(f) {
			continue
		}
		call, calls := f.Name+"("+signature(f)+")", uint64(24)
		pattern := quickFunction(call)
		if pattern != "" {
			calls = 2
		}
		switch most := mostAsked(f, calls); {
		case most >= workAsked:
		case pattern != "":
			excused[pattern] = true
		default:
			t.Errorf("%s asked %d times whether it is to end, want %d", call, most, workAsked)
		}
	}
	for _, pattern := range quickFunctions {
		if !excused[pattern] {
			t.Errorf("%s is in the list of functions that take no time for nothing", pattern)
		}
	}
}

// quickFunctions are those that take large arguments but look at no more than a name's length of
// them, or copy or search them once at the speed of memory.
var quickFunctions = []string{
	`^has_\w+_privilege\(`, `^pg_has_role\(`, `^pg_index_(column_)?has_property\(`, // names
	`^to_reg\w+\(`, `^pg_get_(viewdef|expr|serial_sequence)\(`, `^pg_mcv_list_items\(`, `^row_security_active\(`,
	`^convert_(from|to)\(`, // look at each character once
	`^pg_notify\(`, `^pg_current_logfile\(`, `^pg_relation_size\(`, `^(current_setting|set_config)\(`, `^pg_size_bytes\(`,
	`^(check_index|wait_for_index|cancel_build|set_build_rate|zorder_ranges|resume_token|(apply_)?changes)\(`,
	`^(extract|date_part|date_trunc|timezone|make_timestamptz)\(`,
	`^(st|geometry)_\w+\(`,    // the number of points of a geometry is bounded
	`^(lo_\w+|lowrite)\(`,     // the store looks at each page
	`^gen_salt\(`, `^crypt\(`, // of passwords, which are short; rounds are counted
	`\((any(element|range)(, )?)+\)$`, `^\w+range\([a-z0-9 ,]+\)$`, `^\w+multirange\(VARIADIC`, // ranges are short
	`^to_ascii\(`, `^ascii\(`, `^starts_with\(`, `^(octet|bit)_length\(`, `^length\((bytea|bit|tsvector)\)`, `^numnode\(`, `^num_(non)?nulls\(`,
	`^(get|set)_(bit|byte)\(`, `^(substring|substr)\((bytea|bit)`,
	`^array_(ndims|dims|length|lower|upper)\(`, `^cardinality\(`, `^trim_array\(`,
	`^pg_(partition_ancestors|partition_tree|get_keywords|options_to_table|listening_channels)\(`,
	// the reader of a set counts its rows
	`^ts_(token_type|parse|debug)\(`, `^jsonb?_to_tsvector\(`, // as to_tsvector
	`^_pg_truetyp(id|mod)\(`, `^path_n_\w+\(`, `^aclexplode\(`, `^generate_series\(timestamp`,
	`^jsonb_(typeof|array_length|object_field|array_element|extract_path)\(`,
	`^jsonb_extract_path_text\(jsonb, VARIADIC`, `^jsonb_(delete_path|set|set_lax|insert|subscript_assign)\(`, `^jsonb_delete\(jsonb, integer`,
	// of records, whose fields json_agg and others write and read
	`^row_to_json\(`, `^jsonb?_(populate|to)_record(set)?\(`, `^hstore\((record|text\[\]\))`, `^populate_record\(`,
}

func quickFunction(call string) string {
	for _, pattern := range quickFunctions {
		if regexp.MustCompile(pattern).MatchString(call) {
			return pattern
		}
	}
	return ""
}

// soundArguments are arguments of functions that refuse most that are drawn.
var soundArguments = map[string][]any{
	"regexp_like": {many("x,"), "y", "i"}, "regexp_replace": {many("x,"), "y", "z", "i"}, "regexp_count": {many("x,"), "y", "i"},
	"regexp_instr": {many("x,"), "y", "i"}, "regexp_substr": {many("x,"), "y", "i"}, "regexp_match": {many("x,"), "y", "i"},
	"regexp_matches": {many("x,"), "y", "i"}, "regexp_split_to_array": {many("x,"), "y", "i"}, "regexp_split_to_table": {many("x,"), "y", "i"},
	"substring": {many("x,"), "%y", "#"}, "similar_to_escape": {many("x,"), "#"}, "like_escape": {many("x,"), "#"},
	"convert_from": {many("x,"), "latin1"}, "convert_to": {many("x,"), "latin1"}, "convert": {many("x,"), "latin1", "latin1"},
	"length": {many("x,"), "latin1"}, "normalize": {many("x,"), "NFC"}, "is_normalized": {many("x,"), "NFC"}, "unistr": {many("x,")},
	"digest": {many("x,"), "md5"}, "hmac": {many("x,"), "key", "md5"}, "encrypt": {many("x,"), "key", "aes"},
	"decrypt": {many("x,"), "key", "aes/pad:none"}, "encrypt_iv": {many("x,"), "key", "iv", "aes"},
	"decrypt_iv": {many("x,"), "key", "iv", "aes/pad:none"},
	"encode":     {many("x,"), "base64"}, "decode": {many("3031"), "hex"}, "format": {many("%%")},
	"btrim": {many(" "), " "}, "ltrim": {many(" "), " "}, "rtrim": {many(" "), " "}, "split_part": {many("x,"), "y"},
	"position": {many("x,"), "y"}, "strpos": {many("x,"), "y"}, "overlay": {many("x,"), many("y,")}, "parse_ident": {many("a.") + "a"},
	"quote_literal": {many("x,")}, "quote_nullable": {many("x,")}, "quote_ident": {many("x,")}, "textcat": {many("x,"), many("y")},
	"textanycat": {many("x,"), 1}, "anytextcat": {1, many("x,")}, "left": {many("x,"), -1}, "right": {many("x,"), -1},
	"string_to_array": {many("x,"), ",", "y"}, "string_to_table": {many("x,"), ",", "y"}, "replace": {many("x,"), ",", "y"},
	"byteacat": {many("x,"), many("y")}, "array_fill": {1, []int64{workSize}, []int64{1}},
	"width_bucket": {1, upTo(workSize)}, "array_append": {upTo(workSize / 4), 1}, "array_prepend": {1, upTo(workSize / 4)},
	"array_cat": {upTo(workSize / 4), upTo(10)}, "unnest": {upTo(workSize)}, "_pg_expandarray": {upTo(workSize)},
	"generate_subscripts": {upTo(workSize), 1}, "generate_series": {1, 1 << 30, 1}, "aclexplode": {upTo(10)},
	"jsonb_set": {wide, "{7}", "1"}, "jsonb_subscript_assign": {wide, "{7}", "1"}, "jsonb_set_lax": {wide, "{7}", "1"}, "jsonb_insert": {wide, "{7}", "1"}, "jsonb_delete_path": {wide, "{7}"},
	"jsonb_delete": {wide, 7}, "jsonb_strip_nulls": {wide}, "jsonb_pretty": {wide}, "json_object": {couples}, "jsonb_object": {couples},
	"jsonb_array_element_text": {"[" + wide + "]", 0}, "jsonb_object_field_text": {`{"a":` + wide + "}", "a"},
	"jsonb_extract_path_text": {`{"a":` + wide + "}", "a"}, "oidvectortypes": {many("23 ") + "23"},
}

// wide is a document with many elements, and couples an array of many keys and values.
var (
	wide    = "[" + many("1,") + "1]"
	couples = "{" + many("a,b,") + "a,b}"
)

func many(s string) string { return strings.Repeat(s, workSize/len(s)) }

func upTo(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// sound replaces arguments by sound ones, of each kind in their order; other numbers become 1.
func (w *walker) sound(call expr.Call) expr.Call {
	list := soundArguments[call.Fn.Name]
	if list == nil {
		return call
	}
	next := 0
	for i, a := range call.Args {
		of := a.(expr.Const).T
		if of.Kind() == types.KindInt && (next == len(list) || !isNumber(list[next])) {
			call.Args[i] = expr.Const{Value: types.NewInt(1), T: of}
			continue
		}
		if next == len(list) {
			break
		}
		switch v := list[next].(type) {
		case string:
			call.Args[i] = expr.Const{Value: w.parsed(v, of.OID), T: of}
		case int:
			call.Args[i] = expr.Const{Value: w.parsed(types.FormatText(types.NewInt(int64(v)), types.Int8,
				&types.Env{}), of.OID), T: of}
		case []int64:
			items := make([]types.Value, len(v))
			for i := range v {
				items[i] = types.NewInt(v[i])
			}
			call.Args[i] = expr.Const{Value: types.NewItems(types.OIDInt4, items), T: types.Of(1007)}
		}
		next++
	}
	return call
}

func isNumber(v any) bool { _, ok := v.(int); return ok }

// mostAsked is how often a function asks at the most in so many calls.
func mostAsked(f *expr.Function, calls uint64) int {
	most := 0
	for seed := range calls {
		w := &walker{random: rand.New(rand.NewPCG(seed, 1)), size: workSize}
		call := w.call(f)
		if seed%2 == 0 {
			call = w.sound(call)
		}
		if most = max(most, asked(call)); most >= workAsked {
			break
		}
	}
	return most
}

// asked is how often a call asks whether it is to end. The rows of a set count as the work of who
// reads them.
func asked(call expr.Call) (n int) {
	defer func() { _ = recover() }() // for TestInterruptEndsFunctions
	env := &types.Env{}
	c := &expr.Context{Env: env, Meter: work.Meter{Interrupt: func() error {
		if n++; n < workAsked {
			return nil
		}
		return errEnd
	}}}
	env.Work = c
	if call.Fn.Rows == nil {
		_, _ = call.Eval(c, nil)
		return n
	}
	args := make([]types.Value, len(call.Args))
	for i, a := range call.Args {
		args[i] = a.(expr.Const).Value
	}
	for _, err := range call.Fn.Rows(c, args) {
		if err != nil || c.Tick(64) != nil {
			break
		}
	}
	return n
}

func shortArguments(f *expr.Function) bool {
	for _, a := range f.Args {
		if !short(a) {
			return false
		}
	}
	return true
}

// short says whether all values of a type are short, numbers among them, on which arithmetic takes
// a bounded time.
func short(t types.OID) bool {
	if _, ok := types.ElementOf(types.Of(t)); ok {
		return false
	}
	switch t {
	case types.OIDName, types.OIDNumeric, types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible:
		return true
	}
	return types.InfoOf(t).Size > 0 || types.InfoOf(t).Category == types.CategoryNetwork
}
