//! Engines that are declared as data, one file per engine. The shared logic is in [`super::declared`].

pub(super) mod ack;
pub(super) mod argo_rollouts;
pub(super) mod atlas;
pub(super) mod azure_service_operator;
pub(super) mod cert_manager;
pub(super) mod cluster_api;
pub(super) mod config_connector;
pub(super) mod external_dns;
pub(super) mod external_secrets;
pub(super) mod flux_images;
pub(super) mod flux_operator;
pub(super) mod gitops_promoter;
pub(super) mod hcp_terraform;
pub(super) mod image_updater;
pub(super) mod kargo;
pub(super) mod kro;
pub(super) mod kyverno;
pub(super) mod mongodb_atlas;
pub(super) mod sealed_secrets;
pub(super) mod tofu_controller;
