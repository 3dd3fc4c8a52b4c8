package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// breadth is how many fields a struct has, and methods a type.
type breadth struct{ fields, methods int }

// broadest is what a reader can keep in mind. Tests and generated files are not measured.
var broadest = breadth{fields: 15, methods: 40}

// broader are the types that are larger, with how large they are and why: they may become smaller, and then their rows
// are to say so, but no larger.
var broader = map[string]breadth{
	"catalog.Build":                       {fields: 17},   // what there is to be said of one object of the catalog, as it is stored
	"catalog.Column":                      {fields: 17},   // the same
	"catalog.Index":                       {fields: 17},   // the same
	"catalog.Sequence":                    {fields: 19},   // the same
	"catalog.Table":                       {25, 54},       // the same, and what is asked of it
	"catalog.Snapshot":                    {methods: 46},  // a lookup for each kind of object
	"catalog/advice.key":                  {methods: 47},  // a method for each fault of a key
	"expr.Function":                       {fields: 27},   // a row of the tables of functions, which groups would make longer
	"expr/builtin/format.numberFormat":    {fields: 19},   // the marks of a pattern
	"parser.converter":                    {methods: 164}, // a method for each form of the grammar
	"parser/ast.AlterCommand":             {fields: 18},   // what any form of ALTER TABLE says
	"parser/ast.CreateTable":              {fields: 16},   // the clauses of a CREATE TABLE
	"plpgsql.reader":                      {methods: 49},  // a method for each form of the grammar
	"plpgsql/interpret.frame":             {methods: 39},  // a method for each statement
	"parser/ast.Select":                   {fields: 19},   // the clauses of a SELECT
	"store/dynamostore/dynamofake.Faults": {fields: 20},   // a probability for each fault
}

// checkTypes measures the types of the program.
func checkTypes(t *tree) []string { return t.broad(broadest, broader) }

func (t *tree) broad(most breadth, except map[string]breadth) (out []string) {
	all := t.breadths()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, exceeds(name, "fields", all[name].fields, most.fields, except[name].fields)...)
		out = append(out, exceeds(name, "methods", all[name].methods, most.methods, except[name].methods)...)
	}
	for _, name := range slices.Sorted(maps.Keys(except)) {
		if _, there := all[name]; !there {
			out = append(out, fmt.Sprintf("%s is excepted, and is no type", name))
		}
	}
	return out
}

// exceeds holds a number against the limit, or against the exception if there is one.
func exceeds(name, what string, n, most, except int) []string {
	switch {
	case except == 0 && n > most, except > 0 && n > except:
		return []string{fmt.Sprintf("%s has %d %s", name, n, what)}
	case except > 0 && n < except:
		return []string{fmt.Sprintf("%s has %d %s, and its exception says %d", name, n, what, except)}
	}
	return nil
}

// breadths are those of all types, by package and name.
func (t *tree) breadths() map[string]breadth {
	out := map[string]breadth{}
	for p, f := range t.files() {
		if p.forTests(f) || f.generated {
			continue
		}
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					name := p.path + "." + receiver(d)
					b := out[name]
					b.methods++
					out[name] = b
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name, fields := structOf(spec); name != "" {
						b := out[p.path+"."+name]
						b.fields = fields
						out[p.path+"."+name] = b
					}
				}
			}
		}
	}
	return out
}

// structOf is the name of a struct and how many fields it has.
func structOf(spec ast.Spec) (string, int) {
	if ts, ok := spec.(*ast.TypeSpec); ok {
		if s, ok := ts.Type.(*ast.StructType); ok {
			return ts.Name.Name, s.Fields.NumFields()
		}
	}
	return "", 0
}
