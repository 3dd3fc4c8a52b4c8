package resume

import (
	"reflect"
	"testing"
)

var example = Token{Statement: []byte("hash"), Role: 10, Until: 9, Rows: 20, Last: 1,
	Layouts: []Layout{{Space: 7, Reverse: true}, {Space: 8}},
	Keys:    []Key{{Partition: []byte("p"), Sort: []byte{0, 255}}, {Scan: 1, Partition: []byte("q"), Sort: []byte{}}}}

// TestSeal opens what was sealed, with the same secret only, and nothing that was changed.
func TestSeal(t *testing.T) {
	text, err := Seal([]byte("secret"), example)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Open([]byte("secret"), text); err != nil || !reflect.DeepEqual(got, example) {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := Open([]byte("other"), text); err == nil {
		t.Error("opened with another secret")
	}
	for i := range len(text) - 1 {
		changed := []byte(text)
		changed[i] = 'A' + (changed[i]-'A'+1)%26
		if _, err := Open([]byte("secret"), string(changed)); err == nil && string(changed) != text {
			t.Errorf("opened with another byte %d", i)
		}
	}
}

// FuzzOpen opens no text that Seal did not make, and ends.
func FuzzOpen(f *testing.F) {
	text, err := Seal([]byte("secret"), example)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("")
	f.Add("Ag")
	f.Fuzz(func(t *testing.T, other string) {
		if got, err := Open([]byte("secret"), other); err == nil && !reflect.DeepEqual(got, example) {
			t.Errorf("%q: %+v", other, got)
		}
	})
}
