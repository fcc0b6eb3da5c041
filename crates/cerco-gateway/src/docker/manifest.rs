//! What `docker manifest inspect --verbose` says: which image a platform would get, and how
//! much of it is to be downloaded. Pure.

use serde::Deserialize;

/// One platform's image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    /// `sha256:…` of its manifest: what is downloaded is exactly this.
    pub(super) digest: String,
    /// Its layers, by digest, with their compressed sizes in bytes.
    pub(super) layers: Vec<(String, u64)>,
    config: u64,
}

impl Measured {
    /// The compressed download in bytes; nothing where the registry names no sizes.
    pub(super) fn bytes(&self) -> Option<u64> {
        let sizes = self.layers.iter().map(|(_, size)| *size);
        let known = !self.layers.is_empty() && sizes.clone().all(|size| size > 0);
        known.then(|| sizes.fold(self.config, u64::saturating_add))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Many(Vec<Manifest>),
    One(Box<Manifest>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Manifest {
    descriptor: Descriptor,
    #[serde(alias = "OCIManifest", alias = "SchemaV2Manifest")]
    manifest: Option<Content>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    os: String,
    architecture: String,
}

#[derive(Deserialize)]
struct Content {
    config: Blob,
    layers: Vec<Blob>,
}

#[derive(Deserialize)]
struct Blob {
    #[serde(default)]
    digest: String,
    #[serde(default)]
    size: u64,
}

/// The image for `platform` (`linux/amd64`).
pub(super) fn measured(text: &str, platform: &str) -> Result<Measured, &'static str> {
    let all = match serde_json::from_str(text) {
        Ok(Told::Many(all)) => all,
        Ok(Told::One(one)) => vec![*one],
        Err(_) => return Err("its answer can't be read"),
    };
    let fits = |of: &Descriptor| match &of.platform {
        Some(its) => format!("{}/{}", its.os, its.architecture) == platform,
        // A single manifest may name no platform: it is the only one there is.
        None => true,
    };
    let found = all.into_iter().find(|one| fits(&one.descriptor));
    let Some(Manifest {
        descriptor,
        manifest,
    }) = found
    else {
        return Err("it has none for this machine");
    };
    let is_digest = descriptor
        .digest
        .strip_prefix("sha256:")
        .is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if !is_digest {
        return Err("it names no digest");
    }
    let (config, layers) = manifest.map_or((0, Vec::new()), |content| {
        let layers = content.layers.into_iter().map(|l| (l.digest, l.size));
        (content.config.size, layers.collect())
    });
    Ok(Measured {
        digest: descriptor.digest,
        layers,
        config,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(arch: &str, digit: &str, content: &str) -> String {
        let digest = digit.repeat(64);
        format!(
            r#"{{"Ref":"r","Descriptor":{{"digest":"sha256:{digest}","size":1,"platform":{{"architecture":"{arch}","os":"linux"}}}}{content}}}"#
        )
    }

    const CONTENT: &str = r#","OCIManifest":{"schemaVersion":2,"config":{"digest":"sha256:c","size":500},"layers":[{"digest":"sha256:l1","size":1000},{"digest":"sha256:l2","size":20}]}"#;

    #[test]
    fn the_platforms_own_image_is_measured() {
        let many = format!("[{},{}]", one("arm64", "a", ""), one("amd64", "b", CONTENT));
        let found = measured(&many, "linux/amd64").unwrap();
        assert_eq!(found.digest, format!("sha256:{}", "b".repeat(64)));
        assert_eq!(found.bytes(), Some(1520));
        assert_eq!(measured(&many, "linux/arm64").unwrap().bytes(), None);
        assert!(measured(&many, "linux/riscv64").is_err());
        let old = one(
            "amd64",
            "b",
            &CONTENT.replace("OCIManifest", "SchemaV2Manifest"),
        );
        assert_eq!(measured(&old, "linux/amd64").unwrap().bytes(), Some(1520));
    }

    #[test]
    fn what_names_no_size_or_digest_is_not_made_up() {
        let none = one("amd64", "b", &CONTENT.replace("\"size\":20", "\"size\":0"));
        assert_eq!(measured(&none, "linux/amd64").unwrap().bytes(), None);
        for bad in [
            "",
            "{}",
            "[]",
            "null",
            &one("amd64", "g", CONTENT),
            &one("amd64", "", CONTENT),
        ] {
            assert!(measured(bad, "linux/amd64").is_err(), "{bad}");
        }
    }
}
