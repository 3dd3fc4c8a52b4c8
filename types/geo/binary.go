package geo

import (
	"encoding/binary"
	"math"
	"slices"

	"zproxy/types/form"
)

// ParseBinaryBox reads the binary form of a box, whose corners may be in any order.
func ParseBinaryBox(p []byte) ([]byte, error) {
	if err := form.CheckLength(p, 32); err != nil {
		return nil, err
	}
	return boxOf(Numbers(p)), nil
}

// ParseBinaryLine reads the binary form of a line.
func ParseBinaryLine(p []byte) ([]byte, error) {
	if err := form.CheckLength(p, 24); err != nil {
		return nil, err
	}
	if f := Numbers(p); f[0] == 0 && f[1] == 0 {
		return nil, form.InvalidBinary("invalid line specification: A and B cannot both be zero")
	}
	return slices.Clone(p), nil
}

// ParseBinaryCircle reads the binary form of a circle.
func ParseBinaryCircle(p []byte) ([]byte, error) {
	if err := form.CheckLength(p, 24); err != nil {
		return nil, err
	}
	if Numbers(p)[2] < 0 {
		return nil, form.InvalidBinary("invalid radius in external \"circle\" value")
	}
	return slices.Clone(p), nil
}

// ParseBinaryPolygon reads the binary form of a polygon.
func ParseBinaryPolygon(p []byte) ([]byte, error) { return pointsBinary(p, 0, "polygon") }

// ParseBinaryPath reads the binary form of a path.
func ParseBinaryPath(p []byte) ([]byte, error) {
	path, err := pointsBinary(p, 1, "path")
	if err != nil || p[0] == 0 {
		return path, err
	}
	path[0] = 1
	return path, nil
}

// pointsBinary checks a binary format of counted points behind some other bytes.
func pointsBinary(p []byte, skip int, name string) ([]byte, error) {
	switch {
	case len(p) < skip:
		return nil, form.NoData()
	case len(p) < skip+4:
		return nil, form.TooShort()
	}
	count := int64(int32(binary.BigEndian.Uint32(p[skip:])))
	if count <= 0 || count >= (math.MaxInt32-32)/16 {
		return nil, form.InvalidBinary("invalid number of points in external \"" + name + "\" value")
	}
	if err := form.CheckLength(p, skip+4+int(count)*16); err != nil {
		return nil, err
	}
	return slices.Clone(p), nil
}
