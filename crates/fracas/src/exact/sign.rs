//! The sign of a number that may be too long to write down.

/// Less than, equal to or greater than zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
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
    ///
    /// ```
    /// use fracas::exact::Sign;
    /// assert_eq!(Sign::of(-0.0), Sign::Zero);
    /// assert_eq!(Sign::of(-1e-320), Sign::Negative);
    /// ```
    #[inline]
    #[must_use]
    pub fn of(x: f64) -> Self {
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
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// The sign of `x · y` from the signs of `x` and `y`.
    ///
    /// ```
    /// use fracas::exact::Sign;
    /// assert_eq!(Sign::Negative.times(Sign::Negative), Sign::Positive);
    /// assert_eq!(Sign::Negative.times(Sign::Zero), Sign::Zero);
    /// ```
    #[inline]
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match self {
            Self::Negative => other.opposite(),
            Self::Zero => Self::Zero,
            Self::Positive => other,
        }
    }

    /// Whether the number is exactly zero.
    #[inline]
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }
}
