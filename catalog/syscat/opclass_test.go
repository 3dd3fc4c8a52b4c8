package syscat

import (
	"strconv"
	"strings"
	"testing"

	"zproxy/catalog"
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
		methods := map[string]catalog.Method{strconv.Itoa(btreeMethod): catalog.BTree,
			strconv.Itoa(hashMethod): catalog.Hash, strconv.Itoa(brinMethod): catalog.BRIN}
		method := methods[f[1]]
		if method == "" || !isDefault || info.OID != types.OID(oid) || pseudo {
			continue
		}
		compared++
		if got := opclass.DefaultOf(method, types.Of(info.OID)); got != name {
			t.Errorf("the class of %s is %s, not %s", info.Name, got, name)
		}
	}
	if compared < 40 {
		t.Errorf("compared only %d classes", compared)
	}
}
