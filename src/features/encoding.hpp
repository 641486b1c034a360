// How raw columns become numbers for a model, as plain data: fitted once on training rows, kept with the
// model, and precise enough to turn a formula in encoded columns back into one in raw columns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "features/curve_shape.hpp"
#include "features/number_scale.hpp"
#include "features/schema.hpp"
#include "features/text_encoding.hpp"

namespace bl {

enum class MissingPolicy {
  error,
  impute,  // mean or most frequent level, plus a 0/1 indicator column if training rows had missing values
};

enum class UnseenPolicy {
  error,
  missing,  // a level not seen in training is filled in like a missing value
};

// How far values of a continuous feature are read.
enum class Outliers {
  plain,   // as they are
  robust,  // values far outside the bulk of the training rows are pulled in (features/pull.hpp)
};

// Which columns are encoded as curves (features/curve.hpp), and how.
struct CurveOptions {
  bool all = false;                               // every continuous and ordinal feature
  std::vector<std::string> columns = {};          // these, where not all
  Index knots = 24;                               // at most so many, where none are given
  bool straight_ends = false;                     // beyond the outer knots straight on; otherwise constant
  std::map<std::string, CurveShape> shapes = {};  // of columns of which something else is asked
  std::vector<std::pair<std::string, std::string>> products =
      {};  // of two curves each (features/product.hpp)

  const CurveShape& shape(const std::string& column) const {
    static const CurveShape plain;
    const auto found = shapes.find(column);
    return found == shapes.end() ? plain : found->second;
  }
};

struct EncodeOptions {
  MissingPolicy missing = MissingPolicy::error;
  UnseenPolicy unseen = UnseenPolicy::error;
  Index max_levels = 1000;  // more levels of a nominal column are an error: probably an id or free text
  // The first level of every nominal feature has no column: beside a constant the others say it all, and
  // coefficients are then differences to it that the rows determine.
  bool reference_levels = false;
  Outliers outliers = Outliers::plain;
  CurveOptions curves = {};
  NumberPolicy number = {};  // of continuous responses
  TextOptions text = {};
};

// A non-decreasing map of a column's values, linear between the points and constant beyond them: the identity
// for the bulk of the rows. Without points it is the identity everywhere.
struct Pull {
  std::vector<double> from, to;
  bool operator==(const Pull&) const = default;
};

// The bends of a curve: what it adds to a straight line. Bend j is a function of the column (see below), less
// its least-squares line constant + slope z over the training rows, divided by the scale that all bends of a
// column share.
//  - linear: the piece between two neighbouring knots, clip((x - lower) / (upper - lower), 0, 1). The widest
//    piece has no bend: the line and the other pieces determine it.
//  - cubic: the natural cubic spline that is 1 at an inner knot and 0 at the others.
//  - periodic: the cubic spline of this period that is 1 at a knot but the first, and 0 at the others.
//  - step: 1 from a knot but the first on, else 0.
// Periodic curves, steps and curves of one direction have no straight part: heads read the bends alone
// (`line` false), only the means of which are taken off. Of a curve of one direction every piece has a bend,
// so that it never falls where no weight is negative.
struct Bends {
  CurveKind kind = CurveKind::linear;
  std::vector<double> knots;  // ascending; none, or three and more (steps: two)
  std::size_t widest = 0;     // linear: the piece without a bend; beyond all pieces: there is none
  bool straight_ends = false;
  bool line = true;
  double period = 0;
  double scale = 1;
  std::vector<double> constant, slope;  // of each bend
  // Cubic and periodic: slopes at the knots of the spline that is 1 at one of them, spline after spline.
  std::vector<double> knot_slopes = {};
  bool operator==(const Bends&) const = default;

  std::size_t size() const { return constant.size(); }
  // Linear: the piece of bend j, between knots[piece(j)] and the next.
  std::size_t piece(std::size_t bend) const { return bend < widest ? bend : bend + 1; }
};

struct FeatureEncoding {
  std::string name;
  ColumnType type = ColumnType::continuous;
  RawType raw = RawType::numeric;
  bool has_value = true;       // false: constant in training, only its indicator is used
  bool has_indicator = false;  // training rows had missing values
  // continuous: z = (pulled value - mean) / scale, population standard deviation of the values present.
  // ordinal: the same for the place of the level in the order, 0, 1, 2, ... Then the bends, if any.
  double mean = 0;
  double scale = 1;
  double fill = 0;  // continuous: what stands for a missing value
  Pull pull = {};
  Bends bends = {};
  std::vector<std::string> levels;  // nominal: sorted, one column of 0 and 1 each; ordinal: in order
  std::int32_t first_level = 0;     // nominal: levels before it have no column (1: a reference level)
  std::int32_t fill_level = 0;      // nominal and ordinal: what stands for a missing value
  TextHandle text = {};             // text: its words; a missing one has none
  bool operator==(const FeatureEncoding&) const = default;
};

struct ResponseEncoding {
  std::string name;
  ColumnType type = ColumnType::continuous;  // nominal and ordinal responses are classes
  RawType raw = RawType::numeric;
  NumberScale number;  // continuous: encoded = (place of the value on this axis - mean) / scale
  double mean = 0;
  double scale = 1;
  std::vector<std::string> levels;  // classes: code i means levels[i]
  bool operator==(const ResponseEncoding&) const = default;

  bool is_class() const { return type != ColumnType::continuous; }
  double encode(double value) const { return (number.place(value) - mean) / scale; }
  double decode(double encoded) const { return number.response(encoded * scale + mean); }
};

// Slots of the response's point masses, in encoded units.
std::vector<Slot> encoded_slots(const ResponseEncoding& response);
// Their ends, ascending.
std::vector<double> slot_ends(const ResponseEncoding& response);

// One column of the encoded matrix.
struct EncodedColumn {
  enum class Kind {
    standardized,  // (pulled value - mean) / scale
    ordinal,       // (place of the level - mean) / scale
    bend,          // of a curve of a continuous or ordinal column
    one_hot,       // 1 where the value is level, else 0
    indicator,     // 1 where the value is missing, else 0
    component,     // of a text
    product,       // of two curves; these stand behind all others
  };

  // age, age~30..45, color=red, age is missing, news component 7 (goal, match, season), age~*hours~[1]
  std::string name;
  std::size_t feature = 0;  // index among the encoder's features
  Kind kind = Kind::standardized;
  double mean = 0;
  double scale = 1;
  std::int32_t level =
      0;  // one_hot: index among the feature's levels; bend: index among its bends; component, product: which
  std::size_t other = 0;  // product: its second feature

  bool reads(std::size_t one) const { return feature == one || (kind == Kind::product && other == one); }
  // The straight part of its feature.
  bool line() const { return kind == Kind::standardized || kind == Kind::ordinal; }
  // Zero weights of these leave straight terms.
  bool bends() const { return kind == Kind::bend || kind == Kind::product; }
};

// What fitting noticed, for people.
struct EncodingReport {
  std::vector<std::string> constant;  // features left out: one value only, or none
  std::vector<std::pair<std::string, std::string>>
      duplicates;                                      // a feature and an earlier one with equal values
  std::vector<std::pair<std::string, Index>> missing;  // features with missing training values, and how many
  bool operator==(const EncodingReport&) const = default;
};

// Encoded rows. Responses stand in the order of the encoder's responses, classes and continuous ones apart.
template <class T>
struct Encoded {
  Matrix<T> features;
  Matrix<std::int32_t> classes;  // rows x class responses
  Matrix<T> continuous;          // rows x continuous responses, standardized
  std::vector<double> weights;   // empty without a weight column
};

}  // namespace bl
