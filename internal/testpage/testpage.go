// Package testpage holds the pages of docs that tests make. It compares a page with what a test makes of the code,
// and writes it when asked to. What the page says is in that test. Read Check first.
package testpage

import (
	"os"
	"testing"
)

// Check wants a page to be what a test makes of the code, or writes it so.
func Check(t testing.TB, page, want string, write bool) {
	t.Helper()
	if write {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not what the code says (%v); write it with -write-page", page, err)
	}
}
