//! The sign of an exact number.

/// Less than, equal to or greater than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
#[must_use]
pub enum Sign {
    /// Less than zero.
    Negative = -1,
    /// Exactly zero.
    Zero = 0,
    /// Greater than zero.
    Positive = 1,
}

impl Sign {
    /// The sign of `x`. Both zeros are [`Sign::Zero`]; so is NaN, which callers must not pass.
    #[inline]
    pub(super) fn of(x: f64) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// The sign of `-x` where `self` is the sign of `x`.
    #[inline]
    pub fn opposite(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// Whether the number is exactly zero.
    #[inline]
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }
}
