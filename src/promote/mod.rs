//! Promotion.
