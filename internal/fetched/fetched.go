// Package fetched keeps programs and packages that tests and the bench fetch from elsewhere in the cache of the user,
// so that a machine fetches them once. A folder is fetched under another name until it is whole: tests may run at the
// same time. What is fetched, and how, the callers say.
package fetched

import (
	"os"
	"path/filepath"
)

// Folder gives the folder of a name. If there is none, fetch fills an empty one.
func Folder(name string, fetch func(folder string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "zproxy-test")
	target := filepath.Join(cache, name)
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(part) }()
	if err := fetch(part); err != nil {
		return "", err
	}
	_ = os.Rename(part, target) // it fails when another test was first, whose copy does
	_, err = os.Stat(target)
	return target, err
}
