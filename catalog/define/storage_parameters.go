package define

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/autovacuum"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// storageParameter is a storage parameter of PostgreSQL's, which is taken with the values that it has there. But for
// those of package autovacuum it changes nothing here.
type storageParameter struct {
	name      string
	kind      storageKind
	low, high float64
	of        relationKinds
}

type storageKind uint8

const (
	booleanParameter storageKind = iota
	integerParameter
	realParameter
	switchParameter // on, off or auto
)

// relationKinds are the relations that a parameter is for.
type relationKinds uint8

const (
	ofTable relationKinds = 1 << iota
	ofToast               // of a table, behind toast.
	ofIndex
	ofBoth = ofTable | ofToast
)

// storageParameters are those of PostgreSQL 15.
var storageParameters = []storageParameter{
	{"autosummarize", booleanParameter, 0, 0, ofIndex},
	{"autovacuum_analyze_scale_factor", realParameter, 0, 100, ofTable},
	{"autovacuum_analyze_threshold", integerParameter, 0, math.MaxInt32, ofTable},
	{"autovacuum_enabled", booleanParameter, 0, 0, ofBoth},
	{"autovacuum_freeze_max_age", integerParameter, 100_000, 2_000_000_000, ofBoth},
	{"autovacuum_freeze_min_age", integerParameter, 0, 1_000_000_000, ofBoth},
	{"autovacuum_freeze_table_age", integerParameter, 0, 2_000_000_000, ofBoth},
	{"autovacuum_multixact_freeze_max_age", integerParameter, 10_000, 2_000_000_000, ofBoth},
	{"autovacuum_multixact_freeze_min_age", integerParameter, 0, 1_000_000_000, ofBoth},
	{"autovacuum_multixact_freeze_table_age", integerParameter, 0, 2_000_000_000, ofBoth},
	{"autovacuum_vacuum_cost_delay", realParameter, 0, 100, ofBoth},
	{"autovacuum_vacuum_cost_limit", integerParameter, 1, 10_000, ofBoth},
	{"autovacuum_vacuum_insert_scale_factor", realParameter, 0, 100, ofBoth},
	{"autovacuum_vacuum_insert_threshold", integerParameter, -1, math.MaxInt32, ofBoth},
	{"autovacuum_vacuum_scale_factor", realParameter, 0, 100, ofBoth},
	{"autovacuum_vacuum_threshold", integerParameter, 0, math.MaxInt32, ofBoth},
	{"deduplicate_items", booleanParameter, 0, 0, ofIndex},
	{"fastupdate", booleanParameter, 0, 0, ofIndex},
	{"fillfactor", integerParameter, 10, 100, ofTable | ofIndex},
	{"gin_pending_list_limit", integerParameter, 64, math.MaxInt32, ofIndex},
	{"log_autovacuum_min_duration", integerParameter, -1, math.MaxInt32, ofBoth},
	{"pages_per_range", integerParameter, 1, 131_072, ofIndex},
	{"parallel_workers", integerParameter, 0, 1024, ofTable},
	{"toast_tuple_target", integerParameter, 128, 8160, ofTable},
	{"user_catalog_table", booleanParameter, 0, 0, ofTable},
	{"vacuum_cleanup_index_scale_factor", realParameter, 0, 1e10, ofIndex},
	{"vacuum_index_cleanup", switchParameter, 0, 0, ofBoth},
	{"vacuum_truncate", booleanParameter, 0, 0, ofBoth},
}

// StorageParameters are the names of the storage parameters of PostgreSQL's, which are taken without effect.
func StorageParameters() []string {
	var out []string
	for _, p := range storageParameters {
		if !autovacuum.IsOption(p.name) {
			out = append(out, p.name)
		}
	}
	for _, p := range storageParameters {
		if p.of&ofToast != 0 {
			out = append(out, toastPrefix+p.name)
		}
	}
	return out
}

const toastPrefix = "toast."

// storageOption takes a storage parameter of PostgreSQL's for a table or an index, and refuses what has
// no such name or value.
func storageOption(o ast.Option, of relationKinds) error {
	if known, err := storagePolicy(o); known {
		return err
	}
	name, toast := strings.CutPrefix(o.Name, toastPrefix)
	switch {
	case toast && of == ofIndex:
		return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter namespace \"toast\"")
	case toast:
		of = ofToast
	}
	i := slices.IndexFunc(storageParameters, func(p storageParameter) bool { return p.name == name && p.of&of != 0 })
	if i < 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter %q", name)
	}
	o.Name = name
	return storageParameters[i].check(o)
}

// check wants a value that a parameter has in PostgreSQL.
func (p *storageParameter) check(o ast.Option) error {
	bad := func(format string, args ...any) *sqlerr.Error {
		return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
	}
	switch p.kind {
	case booleanParameter:
		if _, ok := boolOption(o); !ok {
			return bad("invalid value for boolean option %q: %s", p.name, o.Value)
		}
	case switchParameter:
		if _, ok := boolOption(o); !ok && !strings.EqualFold(o.Value, "auto") {
			return bad("invalid value for enum option %q: %s", p.name,
				o.Value).WithDetail("Valid values are \"on\", \"off\", and \"auto\".")
		}
	case integerParameter:
		n, err := strconv.ParseFloat(o.Value, 64)
		switch {
		case err != nil:
			return bad("invalid value for integer option %q: %s", p.name, valueOf(o))
		case math.RoundToEven(n) < p.low || math.RoundToEven(n) > p.high:
			return bad("value %s out of bounds for option %q", o.Value, p.name).
				WithDetail("Valid values are between \"%.0f\" and \"%.0f\".", p.low, p.high)
		}
	case realParameter:
		n, err := strconv.ParseFloat(o.Value, 64)
		switch {
		case err != nil:
			return bad("invalid value for floating point option %q: %s", p.name, valueOf(o))
		case n < p.low || n > p.high:
			return bad("value %s out of bounds for option %q", o.Value, p.name).
				WithDetail("Valid values are between \"%f\" and \"%f\".", p.low, p.high)
		}
	}
	return nil
}

// valueOf is the value of an option, which stands for true when there is none.
func valueOf(o ast.Option) string {
	if o.Value == "" {
		return "true"
	}
	return o.Value
}

// boolOption reads a truth value, of which PostgreSQL knows the beginnings, too.
func boolOption(o ast.Option) (value, ok bool) {
	text := valueOf(o)
	v, err := types.ParseText(text, types.Bool, &types.Env{})
	if err != nil || strings.TrimSpace(text) != text {
		return false, false
	}
	return v.Bool(), true
}

// once refuses an option that is there twice.
func once(options []ast.Option) error {
	for i, o := range options {
		if slices.ContainsFunc(options[:i], func(p ast.Option) bool { return p.Name == o.Name }) {
			return sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q specified more than once",
				o.Name)
		}
	}
	return nil
}

// viewOptions are the options of a view as the catalog has them.
func viewOptions(options []ast.Option) ([]string, error) {
	var out []string
	for _, o := range options {
		value := valueOf(o)
		switch o.Name {
		case catalog.SecurityBarrier, catalog.SecurityInvoker:
			p := storageParameter{name: o.Name, kind: booleanParameter}
			if err := p.check(o); err != nil {
				return nil, err
			}
		case catalog.CheckOption:
			if !strings.EqualFold(value, "local") && !strings.EqualFold(value, "cascaded") {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name,
					value).WithDetail("Valid values are \"local\" and \"cascaded\".")
			}
		default:
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter %q", o.Name)
		}
		out = append(out, o.Name+"="+value)
	}
	return out, once(options)
}
