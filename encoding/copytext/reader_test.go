package copytext

import (
	"io"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	r := NewReader(strings.NewReader("a\tb\\tc\n\\N\t1\n\\.\nrest"), TextFormat(), []string{"x", "y"})
	for {
		f, err := r.Next()
		t.Log(f, err)
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			break
		}
	}
}
