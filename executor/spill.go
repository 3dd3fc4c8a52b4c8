package executor

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	codec "zproxy/encoding/rows"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/form"
)

// spill is a temporary file of rows, in runs one after the other. It has no name once it is
// open, so nothing is left of it when the process ends.
type spill struct {
	file  *os.File
	out   *bufio.Writer
	size  int64 // written so far
	begun int64 // where the present run began
	rows  int64 // of the present run
	buf   []byte
	work  form.Work // counts the bytes written: rows may be large
}

// spillRun is a part of a file.
type spillRun struct{ from, bytes, rows int64 }

// spillBuffer is what is written to, and read from, a file at once.
const spillBuffer = 16 << 10

// spill opens a temporary file.
func (f frame) spill() (*spill, error) {
	file, err := os.CreateTemp(f.env.TempDir, "zproxy-*")
	if err != nil {
		return nil, temporary("create", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, fmt.Errorf("remove a temporary file: %w", err)
	}
	return &spill{file: file, out: bufio.NewWriterSize(file, spillBuffer), work: f.env.Expr}, nil
}

// temporary is an error of a temporary file.
func temporary(doing string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return sqlerr.Wrap(err, sqlerr.DiskFull, "could not %s temporary file: %s", doing, syscall.ENOSPC.Error())
	}
	return fmt.Errorf("%s a temporary file: %w", doing, err)
}

func (s *spill) close() {
	if s != nil {
		s.file.Close()
	}
}

// append writes a row: its length in bytes, then its values.
func (s *spill) append(row types.Row) error { return s.appendMarked(nil, row) }

// appendMarked writes a row behind a mark.
func (s *spill) appendMarked(mark []byte, row types.Row) error {
	s.buf = append(s.buf[:0], mark...)
	for _, v := range row {
		s.buf = codec.AppendValue(s.buf, v)
	}
	if err := s.write(binary.AppendUvarint(s.out.AvailableBuffer(), uint64(len(s.buf)))); err != nil {
		return err
	}
	if err := s.write(s.buf); err != nil {
		return err
	}
	s.rows++
	return nil
}

// write writes bytes as they are.
func (s *spill) write(p []byte) error {
	if err := s.work.Tick(len(p)); err != nil {
		return err
	}
	n, err := s.out.Write(p)
	s.size += int64(n)
	if err != nil {
		return temporary("write", err)
	}
	return nil
}

// end ends a run.
func (s *spill) end() (spillRun, error) {
	if err := s.out.Flush(); err != nil {
		return spillRun{}, temporary("write", err)
	}
	run := spillRun{from: s.begun, bytes: s.size - s.begun, rows: s.rows}
	s.begun, s.rows = s.size, 0
	return run, nil
}

// spilled reads the rows of a run.
type spilled struct {
	in      *bufio.Reader
	width   int
	slab    slab
	buf     []byte
	decoder codec.Decoder
	marks   int                    // bytes of a mark before each row
	wants   func(mark []byte) bool // whether each decodes a row with a mark; nil: all
}

func (s *spill) read(run spillRun, width int) *spilled {
	section := io.NewSectionReader(s.file, run.from, run.bytes)
	return &spilled{in: bufio.NewReaderSize(section, spillBuffer), width: width, slab: slab{width: width}}
}

// next is the next row, which may be kept; it says false at the end.
func (s *spilled) next() (types.Row, bool, error) {
	ok, err := s.load()
	if err != nil || !ok {
		return nil, false, err
	}
	row, err := s.row()
	return row, true, err
}

// row decodes the row that was loaded.
func (s *spilled) row() (types.Row, error) {
	row, p := s.slab.add(), s.buf[s.marks:]
	for i := range row {
		var err error
		if row[i], p, err = s.decoder.ReadValue(p); err != nil {
			return nil, temporary("read", err)
		}
	}
	return row, nil
}

// load reads the bytes of the next row, and says false at the end.
func (s *spilled) load() (bool, error) {
	size, err := binary.ReadUvarint(s.in)
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, temporary("read", err)
	}
	s.buf = slices.Grow(s.buf[:0], int(size))[:size]
	if _, err := io.ReadFull(s.in, s.buf); err != nil {
		return false, temporary("read", err)
	}
	return true, nil
}

// eachOf calls do with every row of a run.
func (s *spill) eachOf(f frame, run spillRun, width int, do func(types.Row) error) error {
	return s.read(run, width).each(f, do)
}

// each calls do with every row that is wanted.
func (s *spilled) each(f frame, do func(types.Row) error) error {
	for n := 0; ; n++ {
		ok, err := s.load()
		if err == nil {
			err = f.canceledAt(n)
		}
		if err != nil || !ok {
			return err
		}
		if s.wants != nil && !s.wants(s.buf[:s.marks]) {
			continue
		}
		row, err := s.row()
		if err == nil {
			err = do(row)
		}
		if err != nil {
			return err
		}
	}
}
