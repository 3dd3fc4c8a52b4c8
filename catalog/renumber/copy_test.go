package renumber_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/renumber"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
	"zproxy/wire"
)

// run runs a script in a database.
func run(t *testing.T, address, database, script string) {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, "postgres://postgres@"+address+"/"+database+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(ctx) }()
	if _, err := c.PgConn().Exec(ctx, script).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// load reads the catalog of a store, and the numbers that it has given out.
func load(t *testing.T, st store.Store) (whole *catalog.Whole, next uint64) {
	t.Helper()
	err := store.InOwnTxn(t.Context(), st, func(txn store.Txn) (err error) {
		if whole, err = catalogstore.Load(t.Context(), txn); err == nil {
			next, err = catalogstore.NextID(t.Context(), txn)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole, next
}

// of finds a database.
func of(t *testing.T, whole *catalog.Whole, name string) *catalog.Snapshot {
	t.Helper()
	for _, d := range whole.Databases() {
		if d.Name == name {
			return whole.In(d.ID)
		}
	}
	t.Fatalf("there is no database %s", name)
	return nil
}

// TestNumbersOfACopy copies a database in which each field that has numbers of objects has one. No number that was
// given out before, but for those of roles, is anywhere in the descriptors of the copy: in a field, a type, a name or a
// text.
func TestNumbersOfACopy(t *testing.T) {
	st := memstore.New(memstore.Options{})
	s := testserver.Start(t, st, session.Options{}, wire.Options{})
	script, err := os.ReadFile("testdata/everything.sql")
	if err != nil {
		t.Fatal(err)
	}
	run(t, s.Address, "postgres", "CREATE DATABASE one")
	run(t, s.Address, "one", string(script))
	_, before := load(t, st)
	run(t, s.Address, "postgres", "CREATE DATABASE two TEMPLATE one")
	whole, _ := load(t, st)
	one, two := of(t, whole, "one"), of(t, whole, "two")
	covered(t, one)
	if a, b := len(one.Objects()), len(two.Objects()); a != b {
		t.Errorf("%d objects became %d", a, b)
	}
	computed := map[uint64]bool{} // numbers that are by the table, as those of columns are
	for _, x := range one.Statistics(0) {
		for _, n := range x.Computed {
			computed[uint64(n)] = true
		}
	}
	old := func(n uint64) bool {
		shared := one.RoleByID(uint32(n)) != nil || one.DatabaseByID(uint32(n)) != nil
		return n >= 16384 && n <= before && !shared && !computed[n]
	}
	found := 0
	for _, o := range one.Objects() {
		numbersIn(t, o, func(_ string, n uint64) {
			if old(n) {
				found++
			}
		})
	}
	if found < 500 {
		t.Errorf("only %d numbers are in the original: they are not looked for where they are", found)
	}
	for _, o := range append(two.Objects(), two.Database()) {
		numbersIn(t, o, func(where string, n uint64) {
			if old(n) {
				t.Errorf("%T %s has the number %d of the original", o, where, n)
			}
		})
	}
}

// numbersIn tells each number in a descriptor as it is kept, also those of which types are made and those in texts.
// Those of moments are none.
func numbersIn(t *testing.T, o catalog.Object, tell func(where string, n uint64)) {
	t.Helper()
	kept := []any{o}
	if table, ok := o.(*catalog.Table); ok {
		known := table.Stats
		known.Extent, known.Growth, known.Learned, known.Columns = nil, nil, nil, nil
		kept = append(kept, known)
	}
	body, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	digits := func(where, text string) {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
			if n, err := strconv.ParseUint(word, 10, 64); err == nil {
				tell(where, n)
				if n <= 1<<32 {
					tell(where, uint64(objectOf(types.OID(n))))
				}
			}
		}
	}
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				digits(where, key)
				walk(where+"."+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprint(where, "[", i, "]"), value)
			}
		case json.Number:
			digits(where, v.String())
		case string:
			if _, err := time.Parse(time.RFC3339Nano, v); err != nil {
				digits(where, v)
			}
		}
	}
	walk("", tree)
}

// objectOf is the number of the object that a type is made of, 0 for another type.
func objectOf(oid types.OID) uint32 {
	for _, of := range []func() (uint32, bool){oid.Enum, oid.Domain, oid.Relation,
		func() (uint32, bool) { n, _, array := oid.UserRange(); return n, array }} {
		if n, _ := of(); n != 0 {
			return n
		}
	}
	return 0
}

// internal are the fields in which only the numbers of functions over the type internal can be, which no user makes.
var internal = []string{"aggregate.Definition.Serialize", "aggregate.Definition.Deserialize"}

// covered wants each field that has numbers to have one in some object of a database.
func covered(t *testing.T, snap *catalog.Snapshot) {
	t.Helper()
	seen := map[string]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				walk(it.Value())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
					continue
				}
				seen[v.Type().String()+"."+f.Name] = seen[v.Type().String()+"."+f.Name] || !v.Field(i).IsZero()
				walk(v.Field(i))
			}
		}
	}
	for _, o := range append(snap.Objects(), snap.Database()) {
		walk(reflect.ValueOf(o))
		if t, ok := o.(*catalog.Table); ok {
			walk(reflect.ValueOf(t.Stats))
		}
	}
	for name, is := range renumber.Numbered {
		if is && !seen[name] && !slices.Contains(internal, name) {
			t.Errorf("no object of testdata/everything.sql has a number in %s", name)
		}
	}
}
