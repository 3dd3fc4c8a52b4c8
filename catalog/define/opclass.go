package define

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/catalog/opclass"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// operatorClasses are those that the key of an index names for its columns, nil when all are the default ones.
func operatorClasses(
	method catalog.Method, t *catalog.Table, parts []catalog.Part, keys []ast.KeyPart) ([]string, error) {
	out := make([]string, len(parts))
	for i, k := range keys {
		of := t.Source(parts[i].Column).Type
		if k.OpClass == "" && opclass.DefaultOf(method, of) == "" {
			return nil, noOrder(of, method).At(int(k.Pos))
		}
		if k.OpClass == "" {
			continue
		}
		var err error
		if out[i], err = opclass.Chosen(string(method), k.OpClass, of); err != nil {
			return nil, err
		}
		if k.OpParams != nil {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "operator class %s has no options", k.OpClass)
		}
	}
	if cmp.Or(out...) == "" {
		return nil, nil
	}
	return out, nil
}

// keepClasses refuses another type of a column that the operator class of an index does not accept. Those of inverted
// indexes are chosen anew.
func keepClasses(t *catalog.Table, column uint32, to types.T) error {
	for _, x := range t.TableIndexes() {
		for i, c := range x.Columns() {
			if class := opclass.Of(x, i); c.ID == column && class != "" && !x.Method().Inverted() {
				if _, err := opclass.Chosen(string(x.Method()), class, to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
