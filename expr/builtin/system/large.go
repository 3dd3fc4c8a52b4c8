package system

import (
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// LargeObjects are those of the database.
type LargeObjects interface {
	// Create makes an object with a number, or with one that is free for 0.
	Create(id uint32) (uint32, error)
	Unlink(id uint32) error
	// Open gives a descriptor of an object, which is good until the transaction ends.
	Open(id uint32, flags int64) (fd int64, err error)
	Close(fd int64) error
	// Opened is an object by its descriptor, and Whole one by its number: to read, or also to write.
	Opened(fd int64) (LargeObject, error)
	Whole(id uint32, write bool) (LargeObject, error)
}

// LargeObject is a large object that is open. What is read and written begins at its position, which moves behind that.
type LargeObject interface {
	Read(n int64) ([]byte, error)
	Write(data []byte) error
	// Move moves the position to an offset from where PostgreSQL's number says, and gives it.
	Move(offset, from int64) (int64, error)
	// Truncate makes the object end at a position.
	Truncate(at int64) error
}

// From where an offset of Move counts.
const (
	seekSet = iota
	seekCurrent
	seekEnd
)

// largeFunctions are those of large objects.
var largeFunctions = []*expr.Function{
	{Name: "lo_creat", Args: pg.Sig{pg.Int4}, Result: pg.OID, Volatility: expr.Volatile, Doc: "Makes a large object, and gives its number. The argument means nothing.", Fn1: createLarge(0)},
	{Name: "lo_create", Args: pg.Sig{pg.OID}, Result: pg.OID, Volatility: expr.Volatile, Doc: "Makes a large object with a number, or for 0 with one that is free, and gives the number.", Fn1: createLarge(1)},
	{Name: "lo_from_bytea", Args: pg.Sig{pg.OID, pg.Bytea}, Result: pg.OID, Volatility: expr.Volatile, Doc: "Makes a large object of bytes, as lo_create does.", Fn2: largeFromBytes},
	{Name: "lo_unlink", Args: pg.Sig{pg.OID}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Removes a large object; 1.", Fn1: unlinkLarge},
	{Name: "lo_get", Args: pg.Sig{pg.OID}, Result: pg.Bytea, Volatility: expr.Volatile, Doc: "The bytes of a large object.", Fn1: wholeLarge},
	{Name: "lo_get", Args: pg.Sig{pg.OID, pg.Int8, pg.Int4}, Result: pg.Bytea, Volatility: expr.Volatile, Doc: "Bytes of a large object: from an offset on, so many.", FnN: partOfLarge},
	{Name: "lo_put", Args: pg.Sig{pg.OID, pg.Int8, pg.Bytea}, Result: types.OIDVoid, Volatility: expr.Volatile, Doc: "Writes bytes of a large object at an offset.", FnN: putLarge},
	{Name: "lo_open", Args: pg.Sig{pg.OID, pg.Int4}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Opens a large object, to read (x'40000') or also to write (x'20000'), and gives a descriptor for the transaction.", Fn2: openLarge},
	{Name: "lo_close", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Closes a descriptor of a large object; 0.", Fn1: closeLarge},
	{Name: "loread", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Bytea, Volatility: expr.Volatile, Doc: "Reads up to so many bytes at the position of a descriptor.", Fn2: readLarge},
	{Name: "lowrite", Args: pg.Sig{pg.Int4, pg.Bytea}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Writes bytes at the position of a descriptor, and says how many.", Fn2: writeLarge},
	{Name: "lo_lseek", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Moves the position of a descriptor by an offset: from the beginning (0), the position (1) or the end (2), and gives it.", FnN: seekLarge("lo_lseek", math.MaxInt32)},
	{Name: "lo_lseek64", Args: pg.Sig{pg.Int4, pg.Int8, pg.Int4}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Moves the position of a descriptor by an offset: from the beginning (0), the position (1) or the end (2), and gives it.", FnN: seekLarge("lo_lseek64", math.MaxInt64)},
	{Name: "lo_tell", Args: pg.Sig{pg.Int4}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Position of a descriptor.", Fn1: tellLarge("lo_tell", math.MaxInt32)},
	{Name: "lo_tell64", Args: pg.Sig{pg.Int4}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Position of a descriptor.", Fn1: tellLarge("lo_tell64", math.MaxInt64)},
	{Name: "lo_truncate", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Makes the large object of a descriptor so many bytes long, with zeros at its end if it was shorter; 0.", Fn2: truncateLarge},
	{Name: "lo_truncate64", Args: pg.Sig{pg.Int4, pg.Int8}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Makes the large object of a descriptor so many bytes long, with zeros at its end if it was shorter; 0.", Fn2: truncateLarge},
	{Name: "lo_import", Args: pg.Sig{pg.Text}, Result: pg.OID, Volatility: expr.Volatile, Doc: "Refused: files of the server are not read. Clients send files by functions of their own.", Fn1: refuseFile1},
	{Name: "lo_import", Args: pg.Sig{pg.Text, pg.OID}, Result: pg.OID, Volatility: expr.Volatile, Doc: "Refused: files of the server are not read. Clients send files by functions of their own.", Fn2: refuseFile},
	{Name: "lo_export", Args: pg.Sig{pg.OID, pg.Text}, Result: pg.Int4, Volatility: expr.Volatile, Doc: "Refused: files of the server are not written. Clients receive files by functions of their own.", Fn2: refuseFile},
}

func largeObjects(c *expr.Context) (LargeObjects, error) {
	if o := hostOf(c).Session.Large; o != nil {
		return o, nil
	}
	return nil, sqlerr.Unsupported("a large object here")
}

func refuseFile1(*expr.Context, types.Value) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("a large object with a file of the server")
}

func refuseFile(*expr.Context, types.Value, types.Value) (types.Value, error) {
	return refuseFile1(nil, types.Null)
}

// createLarge makes an object with the number that the argument is, or for a factor of 0 with any.
func createLarge(factor int64) func(*expr.Context, types.Value) (types.Value, error) {
	return func(c *expr.Context, id types.Value) (types.Value, error) {
		all, err := largeObjects(c)
		if err != nil {
			return types.Null, err
		}
		made, err := all.Create(uint32(id.Int() * factor))
		return types.NewInt(int64(made)), err
	}
}

func largeFromBytes(c *expr.Context, id, data types.Value) (types.Value, error) {
	made, err := createLarge(1)(c, id)
	if err != nil {
		return types.Null, err
	}
	_, err = putLarge(c, []types.Value{made, types.NewInt(0), data})
	return made, err
}

func unlinkLarge(c *expr.Context, id types.Value) (types.Value, error) {
	all, err := largeObjects(c)
	if err == nil {
		err = all.Unlink(uint32(id.Int()))
	}
	return types.NewInt(1), err
}

// whole opens an object by its number, at an offset.
func whole(c *expr.Context, id types.Value, write bool, offset int64) (LargeObject, error) {
	all, err := largeObjects(c)
	if err != nil {
		return nil, err
	}
	o, err := all.Whole(uint32(id.Int()), write)
	if err != nil {
		return nil, err
	}
	_, err = o.Move(offset, seekSet)
	return o, err
}

// most is how many bytes a value may have.
const most = 1<<30 - 1 - 4

func wholeLarge(c *expr.Context, id types.Value) (types.Value, error) {
	return readWhole(c, id, 0, math.MaxInt64)
}

func partOfLarge(c *expr.Context, args []types.Value) (types.Value, error) {
	if args[2].Int() < 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "requested length cannot be negative")
	}
	return readWhole(c, args[0], args[1].Int(), args[2].Int())
}

func readWhole(c *expr.Context, id types.Value, offset, n int64) (types.Value, error) {
	o, err := whole(c, id, false, 0)
	if err != nil {
		return types.Null, err
	}
	size, err := o.Move(0, seekEnd)
	if err != nil {
		return types.Null, err
	}
	if n = min(n, max(size-offset, 0)); n > most {
		return types.Null, sqlerr.New(sqlerr.ProgramLimitExceeded, "large object read request is too large")
	}
	if _, err := o.Move(offset, seekSet); err != nil {
		return types.Null, err
	}
	return bytesOf(o.Read(n))
}

func bytesOf(data []byte, err error) (types.Value, error) { return types.NewBytes(data), err }

func putLarge(c *expr.Context, args []types.Value) (types.Value, error) {
	o, err := whole(c, args[0], true, args[1].Int())
	if err == nil {
		err = o.Write(args[2].Bytes())
	}
	return types.NewText(""), err
}

func openLarge(c *expr.Context, id, flags types.Value) (types.Value, error) {
	all, err := largeObjects(c)
	if err != nil {
		return types.Null, err
	}
	fd, err := all.Open(uint32(id.Int()), flags.Int())
	return types.NewInt(fd), err
}

func closeLarge(c *expr.Context, fd types.Value) (types.Value, error) {
	all, err := largeObjects(c)
	if err == nil {
		err = all.Close(fd.Int())
	}
	return types.NewInt(0), err
}

func opened(c *expr.Context, fd types.Value) (LargeObject, error) {
	all, err := largeObjects(c)
	if err != nil {
		return nil, err
	}
	return all.Opened(fd.Int())
}

func readLarge(c *expr.Context, fd, n types.Value) (types.Value, error) {
	o, err := opened(c, fd)
	if err != nil {
		return types.Null, err
	}
	return bytesOf(o.Read(max(n.Int(), 0)))
}

func writeLarge(c *expr.Context, fd, data types.Value) (types.Value, error) {
	o, err := opened(c, fd)
	if err == nil {
		err = o.Write(data.Bytes())
	}
	return types.NewInt(int64(len(data.Bytes()))), err
}

// seekLarge moves the position, which the function gives up to a limit.
func seekLarge(name string, limit int64) func(*expr.Context, []types.Value) (types.Value, error) {
	return func(c *expr.Context, args []types.Value) (types.Value, error) {
		o, err := opened(c, args[0])
		if err != nil {
			return types.Null, err
		}
		at, err := o.Move(args[1].Int(), args[2].Int())
		if err == nil && at > limit {
			err = sqlerr.New(sqlerr.NumericValueOutOfRange, "%s result out of range for large-object descriptor %d",
				name, args[0].Int())
		}
		return types.NewInt(at), err
	}
}

func tellLarge(name string, limit int64) func(*expr.Context, types.Value) (types.Value, error) {
	seek := seekLarge(name, limit)
	return func(c *expr.Context, fd types.Value) (types.Value, error) {
		return seek(c, []types.Value{fd, types.NewInt(0), types.NewInt(seekCurrent)})
	}
}

func truncateLarge(c *expr.Context, fd, at types.Value) (types.Value, error) {
	o, err := opened(c, fd)
	if err == nil {
		err = o.Truncate(at.Int())
	}
	return types.NewInt(0), err
}
