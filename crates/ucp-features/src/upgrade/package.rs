//! The manifests of a Crossplane package: `package.yaml` in a layer of an image. Source: the specification of packages,
//! <https://github.com/crossplane/crossplane/blob/main/contributing/specifications/xpkg.md>.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use ucp_core::failure::{Failure, fail};
use ucp_core::regular_file;

/// Name of the file with the manifests.
pub const MANIFESTS: &str = "package.yaml";
/// Size limit of an unpacked layer.
const LARGEST_LAYER: u64 = 1 << 30;
/// Size limit of the manifests. The largest providers have 40 MB.
const LARGEST_MANIFESTS: u64 = 256 << 20;

/// Returns the manifests of a package file, as `crossplane xpkg build` writes it: the archive of an image.
///
/// # Errors
/// Fails when the file cannot be read, or no layer contains the manifests.
pub fn read_package_file(path: &Path) -> Result<String, Failure> {
    let file = regular_file::open(path).map_err(|error| error.to_string())?;
    let mut layers = tar::Archive::new(uncompressed(file).map_err(|error| error.to_string())?);
    let entries = layers.entries().map_err(|error| error.to_string())?;
    // Raw: long names would be read into memory.
    let mut entries = entries.raw(true);
    while let Some(entry) = entries.next().transpose().map_err(|_| "it is no archive of an image")? {
        if entry.header().entry_type().is_file()
            && let Some(manifests) = manifests_in_layer(entry)?
        {
            return Ok(manifests);
        }
    }
    fail!("it is no package: no layer contains {MANIFESTS}")
}

/// Returns the manifests in a layer, or `None` if it is no layer or has no manifests.
///
/// # Errors
/// Fails when the manifests cannot be read.
pub fn manifests_in_layer(layer: impl Read) -> Result<Option<String>, Failure> {
    let Ok(layer) = uncompressed(layer) else { return Ok(None) };
    let mut archive = tar::Archive::new(layer);
    let Ok(entries) = archive.entries() else { return Ok(None) };
    for entry in entries.raw(true) {
        // Configurations of images are no archives.
        let Ok(mut entry) = entry else { return Ok(None) };
        if entry.path().is_ok_and(|path| path.strip_prefix(".").unwrap_or(&path) == Path::new(MANIFESTS)) {
            let mut text = String::new();
            let read = entry.by_ref().take(LARGEST_MANIFESTS + 1).read_to_string(&mut text);
            return match read {
                Ok(length) if length as u64 > LARGEST_MANIFESTS => fail!("{MANIFESTS} is larger than 256 MiB"),
                Ok(_) => Ok(Some(text)),
                Err(error) => fail!("{MANIFESTS}: {error}"),
            };
        }
    }
    Ok(None)
}

/// Returns the content of a file or layer, without gzip.
fn uncompressed<'r>(mut file: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut begin = Vec::new();
    file.by_ref().take(2).read_to_end(&mut begin)?;
    let is_gzip = begin == [0x1f, 0x8b];
    let file = io::Cursor::new(begin).chain(file);
    Ok(match is_gzip {
        true => Box::new(MultiGzDecoder::new(file).take(LARGEST_LAYER)),
        false => Box::new(file.take(LARGEST_LAYER)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, *bytes).unwrap();
        }
        archive.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_manifests_are_found_in_any_layer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.xpkg");
        let base = gzip(&tar_of(&[("package.yaml", b"kind: Provider")]));
        for (files, expected) in [
            (
                vec![
                    ("manifest.json", &b"[]"[..]),
                    ("sha256:1.tar.gz", &gzip(&tar_of(&[("bin/a", b"x")]))),
                    ("2.tar.gz", &base),
                ],
                Ok("kind: Provider"),
            ),
            (vec![("blobs/sha256/1", &tar_of(&[("./package.yaml", b"kind: Provider")])[..])], Ok("kind: Provider")),
            (vec![("manifest.json", &b"[]"[..])], Err(())),
        ] {
            std::fs::write(&path, tar_of(&files)).unwrap();
            assert_eq!(read_package_file(&path).as_deref().map_err(drop), expected);
        }
        std::fs::write(&path, b"no archive").unwrap();
        assert!(read_package_file(&path).is_err());
    }
}
