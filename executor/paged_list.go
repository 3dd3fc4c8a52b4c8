package executor

import (
	"encoding/binary"
	"fmt"
	"slices"

	codec "zproxy/encoding/rows"
	"zproxy/types"
)

// pagedList keeps items by their numbers: in memory, or in a file once it was moved there. The file has pages, which
// are decoded as a whole; those that were read last stay loaded. So items may be read in any order, and those near
// each other cost one reading. All are added before the first is read.
type pagedList[T any] struct {
	frame
	form   itemForm[T]
	held   *hold
	count  int
	bytes  int64 // of the items in memory, or of the loaded pages
	most   int64 // bytes of loaded pages
	fewest int   // pages that may always be loaded, whatever their size
	items  []T   // nil once they are in the file
	file   *spill
	pages  []listPage[T]
	loaded []int // numbers of pages
	next   int   // in loaded, where one is looked for that can go
	last   *listPage[T]
	buf    []byte
}

// itemForm is how items are written. All of a page are decoded at once.
type itemForm[T any] interface {
	size(item T) int64 // in memory
	append(dst []byte, item T) []byte
	decode(p []byte, count int) ([]T, error)
}

// listPage is some items one behind the other.
type listPage[T any] struct {
	first int   // number of the first item
	from  int64 // where it begins in the file
	bytes int64 // of the items in memory
	items []T   // nil: they are not loaded
	used  bool  // since one was looked for that can go
}

const (
	minPageBytes = 4 << 10
	maxPageBytes = 32 << 10
	pageOverhead = 64 // bytes of what is known of a page that is not loaded
)

// inFile says whether the items are in a file.
func (l *pagedList[T]) inFile() bool { return l.file != nil }

// add keeps an item as the last one. One that goes to the file is not kept itself.
func (l *pagedList[T]) add(item T) error {
	if l.file != nil {
		return l.write(item)
	}
	l.items = append(l.items, item)
	l.count++
	size := l.form.size(item)
	l.bytes += size
	return l.held.add(size)
}

// toFile moves the items to a file, of which pages of so many bytes may be loaded.
func (l *pagedList[T]) toFile(most int64) (err error) {
	if l.file, err = l.spill(); err != nil {
		return err
	}
	l.count, l.most, l.last = 0, most, &listPage[T]{}
	for _, item := range l.items {
		if err := l.write(item); err != nil {
			return err
		}
	}
	l.items = nil
	l.held.releaseTo(l.held.bytes - l.bytes)
	l.bytes = 0
	return nil
}

// write adds an item to the last page.
func (l *pagedList[T]) write(item T) error {
	size := l.form.size(item)
	if n := len(l.pages); n == 0 || l.pages[n-1].bytes+size > l.pageBytes() {
		l.pages = append(l.pages, listPage[T]{first: l.count, from: l.file.size})
		if err := l.held.add(pageOverhead); err != nil {
			return err
		}
	}
	l.pages[len(l.pages)-1].bytes += size
	l.count++
	l.buf = l.form.append(l.buf[:0], item)
	return l.file.write(l.buf)
}

// pageBytes is how large a page becomes, if it has more than one item.
func (l *pagedList[T]) pageBytes() int64 { return min(max(l.most/16, minPageBytes), maxPageBytes) }

// end is called when all items have been added.
func (l *pagedList[T]) end() error {
	if l.file == nil {
		return nil
	}
	run, err := l.file.end()
	l.profile().Spilled += run.bytes
	return err
}

// at is the item with a number.
func (l *pagedList[T]) at(i int) (T, error) {
	if l.file == nil {
		return l.items[i], nil
	}
	if at := i - l.last.first; at >= 0 && at < len(l.last.items) {
		return l.last.items[at], nil
	}
	return l.find(i)
}

// find is at for an item of another page than the one before.
func (l *pagedList[T]) find(i int) (item T, err error) {
	number, first := slices.BinarySearchFunc(l.pages, i, func(p listPage[T], i int) int { return p.first - i })
	if !first {
		number--
	}
	p := &l.pages[number]
	if p.items == nil {
		if err := l.load(number); err != nil {
			return item, err
		}
	}
	p.used, l.last = true, p
	return p.items[i-p.first], nil
}

// load loads a page.
func (l *pagedList[T]) load(number int) error {
	if err := l.canceled(); err != nil {
		return err
	}
	p, end, to := &l.pages[number], l.count, l.file.size
	if number+1 < len(l.pages) {
		end, to = l.pages[number+1].first, l.pages[number+1].from
	}
	for len(l.loaded) >= l.fewest && l.bytes+p.bytes > l.most {
		l.drop()
	}
	if err := l.held.add(p.bytes); err != nil {
		return err
	}
	l.bytes += p.bytes
	l.loaded = append(l.loaded, number)
	l.buf = slices.Grow(l.buf[:0], int(to-p.from))[:to-p.from]
	if _, err := l.file.file.ReadAt(l.buf, p.from); err != nil {
		return temporary("read", err)
	}
	var err error
	p.items, err = l.form.decode(l.buf, end-p.first)
	return err
}

// drop forgets a loaded page that was not used since all were looked at (the clock of Corbató, 1968).
func (l *pagedList[T]) drop() {
	var p *listPage[T]
	for {
		l.next %= len(l.loaded)
		if p = &l.pages[l.loaded[l.next]]; !p.used {
			break
		}
		p.used = false
		l.next++
	}
	l.held.releaseTo(l.held.bytes - p.bytes)
	l.bytes -= p.bytes
	p.items = nil
	l.loaded = slices.Delete(l.loaded, l.next, l.next+1)
}

// clear forgets all items. What they held is the holder's to give back.
func (l *pagedList[T]) clear() {
	l.file.close()
	clear(l.items)
	l.items, l.count, l.bytes = l.items[:0], 0, 0
	l.file, l.pages, l.loaded, l.last = nil, nil, nil, nil
}

// rowForm writes rows of one width.
type rowForm struct {
	width   int
	decoder codec.Decoder
}

func (*rowForm) size(row types.Row) int64 { return rowBytes(row) }

func (*rowForm) append(dst []byte, row types.Row) []byte {
	for _, v := range row {
		dst = codec.AppendValue(dst, v)
	}
	return dst
}

func (r *rowForm) decode(p []byte, count int) (rows []types.Row, err error) {
	values := make([]types.Value, count*r.width)
	for i := range values {
		if values[i], p, err = r.decoder.ReadValue(p); err != nil {
			return nil, temporary("read", err)
		}
	}
	rows = make([]types.Row, count)
	for i := range rows {
		rows[i] = values[i*r.width : (i+1)*r.width : (i+1)*r.width]
	}
	return rows, nil
}

// numberForm writes numbers that are not negative.
type numberForm struct{}

func (numberForm) size(int) int64 { return 8 }

func (numberForm) append(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func (numberForm) decode(p []byte, count int) ([]int, error) {
	numbers := make([]int, count)
	for i := range numbers {
		v, n := binary.Uvarint(p)
		if n <= 0 {
			return nil, temporary("read", fmt.Errorf("%w: number", codec.ErrCorrupt))
		}
		numbers[i], p = int(v), p[n:]
	}
	return numbers, nil
}
