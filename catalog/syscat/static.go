package syscat

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"zproxy/types"
)

// staticText has the rows of catalogs that are the same in every database: for each a line
// with the name of the catalog and its columns, and below it the rows as COPY writes them.
// TestStatic records it.
//
//go:embed static.txt
var staticText string

// ownTypes are the rows of pg_type for types that PostgreSQL has not. Their forms are read and written by no function
// that could be called.
const ownTypes = "8100\tgeometry\t11\t10\t-1\tf\tb\tU\tf\tt\t:\t0\t0\t0\t8101\t0\t0\t0\t0\t0\t0\t0\td\tm\tf\t0\t-1\t0\t0\n" +
	"8101\t_geometry\t11\t10\t-1\tf\tb\tA\tf\tt\t:\t0\t6179\t8100\t0\t750\t751\t2400\t2401\t0\t0\t3816\td\tx\tf\t0\t-1\t0\t0\n"

// staticRows are the rows of one catalog in staticText.
type staticRows struct {
	columns string
	lines   []string
}

func readStatic() map[string]*staticRows {
	all := map[string]*staticRows{}
	var last *staticRows
	for line := range strings.Lines(staticText) {
		line = strings.TrimSuffix(line, "\n")
		if row, ok := strings.CutPrefix(line, "\t"); ok {
			last.lines = append(last.lines, row)
			continue
		}
		name, columns, _ := strings.Cut(line, " ")
		last = &staticRows{columns: columns}
		all[name] = last
	}
	for row := range strings.Lines(ownTypes) {
		all["pg_type"].lines = append(all["pg_type"].lines, strings.TrimSuffix(row, "\n"))
	}
	return all
}

// addStatic adds the recorded rows.
func addStatic(r *rows) {
	for _, row := range r.recorded {
		if r.wants(uint32(row[0].Int())) {
			r.add(row...)
		}
	}
}

// addAmended is addStatic with the privileges on the objects behind, and with the owners that they were given since.
func addAmended(owner string) func(*rows) {
	return func(r *rows) {
		ordinal := slices.Index(r.names(), owner)
		for _, row := range r.recorded {
			oid, privileges := uint32(row[0].Int()), types.Null
			if !r.wants(oid) {
				continue
			}
			if a := r.Catalog.Amended(r.name, oid); a != nil {
				row = slices.Clone(row)
				row[ordinal], privileges = number(a.OwnerID()), r.acl(a.ACL)
			}
			r.add(append(slices.Clip(row), privileges)...)
		}
	}
}

// addKnown is addStatic without the rows in which the column of a name is a type that zproxy
// has not.
func addKnown(column string) func(*rows) {
	return func(r *rows) {
		ordinal := slices.Index(r.names(), column)
		for _, row := range r.recorded {
			oid := types.OID(row[ordinal].Int())
			if r.wants(uint32(row[0].Int())) && (types.InfoOf(oid).OID == oid) {
				r.add(row...)
			}
		}
	}
}

// parseStatic reads a row of staticText.
func parseStatic(row string, of []types.T) []types.Value {
	fields := strings.Split(row, "\t")
	if len(fields) != len(of) {
		panic(fmt.Sprintf("syscat: %q has %d fields, not %d", row, len(fields), len(of)))
	}
	out := make([]types.Value, len(fields))
	for i, field := range fields {
		if field == `\N` {
			continue
		}
		v, err := types.ParseText(field, of[i], &types.Env{})
		if err != nil {
			panic(fmt.Sprintf("syscat: %q: %v", row, err))
		}
		out[i] = v
	}
	return out
}
