package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// nodeModules gives a folder with the modules of a folder's package-lock.json.
func nodeModules(folder string) (string, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", err
	}
	fetched, err := packages(filepath.Join(folder, "package-lock.json"),
		exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"))
	return filepath.Join(fetched, "node_modules"), err
}

// pypiModules gives a folder with the modules of a folder's requirements.txt, which names all of them.
func pypiModules(folder string) (string, error) {
	const list = "requirements.txt"
	fetched, err := packages(filepath.Join(folder, list), exec.Command(debianPython, "-m", "pip", "install",
		"--quiet", "--no-deps", "--only-binary", ":all:", "--target", "lib", "-r", list))
	return filepath.Join(fetched, "lib"), err
}

// packages gives a folder with what a list in a file names. The first call on a machine fetches it into the user's
// cache, by a command that runs beside a copy of the list, under another name until it is whole: tests may run at the
// same time.
func packages(list string, fetch *exec.Cmd) (string, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "zproxy-test")
	sum := sha256.Sum256(text)
	target := filepath.Join(cache, "clients-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fetched, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(fetched) }()
	if err := os.CopyFS(fetched, os.DirFS(filepath.Dir(list))); err != nil {
		return "", err
	}
	fetch.Dir = fetched
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %.500s", filepath.Base(fetch.Path), err, out)
	}
	_ = os.Rename(fetched, target) // it fails when another test was first, whose copy does
	_, err = os.Stat(target)
	return target, err
}
