package syscat

import (
	"strconv"
	"strings"
	"testing"

	"zproxy/catalog/opclass"
	"zproxy/types"
)

// TestDefaultClasses wants the default classes of types to be those of PostgreSQL's pg_opclass.
func TestDefaultClasses(t *testing.T) {
	compared := 0
	for _, line := range readStatic()["pg_opclass"].lines {
		f := strings.Split(line, "\t")
		name, isDefault := f[2], f[7] == "t"
		oid, err := strconv.Atoi(f[6])
		if err != nil {
			t.Fatal(err)
		}
		info := types.InfoOf(types.OID(oid))
		pseudo := info.Category == types.CategoryPseudo && info.Kind != types.KindRecord
		ordered := f[1] == strconv.Itoa(btreeMethod) || f[1] == strconv.Itoa(hashMethod)
		if !ordered || !isDefault || info.OID != types.OID(oid) || pseudo {
			continue
		}
		compared++
		if got := opclass.Default(types.Of(info.OID)); got != name {
			t.Errorf("the class of %s is %s, not %s", info.Name, got, name)
		}
	}
	if compared < 40 {
		t.Errorf("compared only %d classes", compared)
	}
}
