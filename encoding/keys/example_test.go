package keys_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/types"
)

// osloKey is the key that the package comment shows.
func osloKey() (partition, sort []byte) {
	orders := &catalog.Table{
		Columns: []catalog.Column{{ID: 1, Name: "city", Type: types.Text}, {ID: 2, Name: "id", Type: types.Int8}},
		Primary: catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Sort: []catalog.Part{{Column: 2, Desc: true}},
			Unique: true},
	}
	codec, err := keys.NewCodec(orders, &orders.Primary)
	if err != nil {
		panic(err)
	}
	k := codec.Key(types.Row{types.NewText("Oslo"), types.NewInt(17)})
	return k.Partition, k.Sort
}

func Example() {
	partition, sort := osloKey()
	fmt.Printf("partition  % x\n", partition)
	fmt.Printf("sort       % x\n", sort)
	fmt.Println(keys.Format(append(partition, sort...), []types.T{types.Text, types.Int8}, []bool{false, true}))
	// Output:
	// partition  30 4f 73 6c 6f 00 01
	// sort       ee ee
	// /"Oslo"/17
}

func TestPackageCommentShowsTheKey(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	partition, sort := osloKey()
	for _, line := range []string{fmt.Sprintf("partition  % x ", partition), fmt.Sprintf("sort       % x ", sort)} {
		if !strings.Contains(string(doc), line) {
			t.Errorf("doc.go does not show %q", line)
		}
	}
}
