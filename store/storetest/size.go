package storetest

import (
	"math"
	"strings"

	"zproxy/store"
	"zproxy/types"
)

// sizeTests are about what spaces take.
var sizeTests = []test{{name: "sizes", run: testSizes}}

// testSizes asks for the sizes of spaces with nothing, with few items and with many: the more, the
// larger; and one that is dropped has none.
func testSizes(e *env) {
	sized, ok := e.Store.(store.Sized)
	if !ok {
		return
	}
	last := int64(-1)
	for _, items := range []int{0, 10, 1000, 5000} {
		s := e.named()
		for from := 0; from < items; from += 20 {
			e.do(func(tx store.Txn) {
				for i := from; i < min(from+20, items); i++ {
					e.must(tx.Put(s, item("p", number(i), types.NewText(strings.Repeat(number(i), 100))), store.Absent))
				}
			})
		}
		bytes, known, err := sized.Bytes(ctx, s)
		e.must(err)
		if !known && items > 0 || bytes <= last || items == 0 && bytes != 0 || bytes < int64(items)*100 ||
			bytes > int64(items)*2000 {
			e.Errorf("%d items take %d bytes, fewer of them %d", items, bytes, last)
		}
		last = bytes
		counted, known, err := sized.Items(ctx, s)
		e.must(err)
		if !known && items > 0 || math.Abs(float64(counted)-float64(items)) > 0.2*float64(items) {
			e.Errorf("%d items are counted as %d", items, counted)
		}
	}
	never := &store.Space{ID: store.SpaceID(e.ids.Add(1)), Name: "never", Sorted: true}
	bytes, _, err := sized.Bytes(ctx, never)
	e.must(err)
	items, _, err := sized.Items(ctx, never)
	e.must(err)
	if bytes != 0 || items != 0 {
		e.Errorf("a space that is not there has %d items in %d bytes", items, bytes)
	}
}
