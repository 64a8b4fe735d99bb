//! The image of a new service, and the image of the old service that it replaces.

mod edit;
mod image_fields;
mod new_image;

pub use edit::{changes, remaining_image};
pub use new_image::NewImage;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_image_is_read_from_the_rendered_manifests() {
        let rendered = serde_json::json!({"kind": "Deployment", "spec": {"containers": [{"image": "mirror/quotes:v1"}, {"image": "r/proxy:v1"}]}});
        let new = NewImage::resolve("r/orders:v9", "quotes", &[], &[&[rendered]]).unwrap();
        assert!(new.is_old("mirror/quotes") && !new.is_old("r/quotes") && new.is_new("r/orders:v9"));
    }
}
