package executor

import "zproxy/types"

// An operator that keeps something for each different key goes on with the keys that it has when they are too many for
// the work memory. The rows of others are put off: they go to files, parted by a hash of their keys, and the operator
// does its work for each part by itself when its input is at its end. So does PostgreSQL since version 13. All rows of
// a key are in one part, in their order.

// putOff is rows that are put off.
type putOff struct {
	frame
	level int // of parts of parts, from 1
	width int
	files [spillParts]*spill
	key   []byte
}

// spills says whether parts of a level may be parted again.
func spills(level int) bool { return level < spillLevels }

// addWhole puts off a row that is its own key.
func (p *putOff) addWhole(row types.Row) error { return p.addBy(row, row) }

// addBy puts off a row by the values of its key.
func (p *putOff) addBy(key, row types.Row) error {
	p.key = p.key[:0]
	for _, v := range key {
		p.key = types.AppendKey(p.key, v)
	}
	file := &p.files[spillPart(p.key, p.level)]
	if *file == nil {
		var err error
		if *file, err = p.spill(); err != nil {
			return err
		}
	}
	return (*file).append(row)
}

// part is the rows of a part, nil if there are none.
func (p *putOff) part(i int) (rowsOf, error) {
	if p == nil || p.files[i] == nil {
		return nil, nil
	}
	run, err := p.files[i].end()
	if err != nil {
		return nil, err
	}
	node := p.profile()
	node.Spilled += run.bytes
	node.Batches++
	return func(do func(types.Row) error) error { return p.files[i].eachOf(p.frame, run, p.width, do) }, nil
}

// each calls do with the rows of each part.
func (p *putOff) each(do func(rowsOf) error) error {
	for i := range p.files {
		rows, err := p.part(i)
		if err != nil {
			return err
		}
		if rows == nil {
			continue
		}
		if err := do(rows); err != nil {
			return err
		}
	}
	return nil
}

func (p *putOff) close() {
	if p == nil {
		return
	}
	for _, file := range p.files {
		file.close()
	}
}
