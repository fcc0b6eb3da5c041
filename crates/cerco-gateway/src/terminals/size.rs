//! How large a terminal is, within bounds that every shell bears.

use portable_pty::PtySize;

/// A terminal's size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    pub(super) fn pty(self) -> PtySize {
        PtySize {
            rows: self.rows.clamp(1, 1000),
            cols: self.columns.clamp(1, 1000),
            pixel_width: 0,
            pixel_height: 0,
        }
    }
}
