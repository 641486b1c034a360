// Standard errors, tests and canonical forms of fitted models.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bl/errors.hpp"
#include "bl/model.hpp"

namespace bl {

// Something was asked without rows that only rows can answer.
class NeedsData : public UsageError {
 public:
  using UsageError::UsageError;
};

struct InferenceOptions {
  std::string covariance = "robust";  // robust, classical, cluster
  std::vector<std::string> cluster;   // one or two columns of the data: implies cluster, in place of robust
  double level = 0.95;                // of the confidence intervals
  bool standardised = false;          // estimates for standardised columns instead of the data's own units
  std::string reference;              // the class whose coefficients are 0; empty: the first
  int starts = 0;                     // further starts beside the model's own parameters
  int bootstrap = 0;                  // refits to resampled rows (clusters where there are any); 0: none
  std::uint64_t seed = 1;             // of starts and resampling
  std::size_t threads = 0;
  std::string device = "cpu";  // where starts and resamples are fitted: cpu, cuda, auto
  // Both one at a time, from any thread. should_stop ends the work with Interrupted.
  std::function<bool()> should_stop;
  std::function<void(double seconds, const std::string& text)> on_progress = {};
};

struct EstimatedParameter {
  std::string name;
  double estimate = 0;
  double standard_error = 0;  // NaN: see state
  double z = 0, p = 0;        // of the hypothesis that it is 0
  double lower = 0, upper = 0;
  double bootstrap_error = 0;  // NaN without a bootstrap
  // Empty, "at bound", "not identified", or "fixed": the only weight of a block, 1 by the convention of
  // scale.
  std::string state;
  bool of_bend = false;  // of a curve, whose points say more
};

// A curve of a head, with a pointwise band. Its mean over the training rows is 0.
struct EstimatedCurve {
  std::string name;                                             // U.age~*[y=buy]
  std::string in_words;                                         // rises to 45, then flat
  std::vector<double> at, value, standard_error, lower, upper;  // at the knots; NaN: not determined
  // Wald tests: that it is a straight line (of curves that have one), and that it is zero everywhere. NaN
  // where the rows do not determine it.
  double straight = 0, straight_p = 1;
  int straight_degrees = 0;
  double flat = 0, flat_p = 1;
  int flat_degrees = 0;
};

// A product of two curves of a head, with pointwise intervals. Over the training rows it is uncorrelated with
// the functions of one of its columns, and its mean is 0.
struct EstimatedProduct {
  std::string name;                                         // U.age~*hours~*[y=buy]
  std::string in_words;                                     // high where both are high or both are low
  std::string first, second;                                // the columns
  std::vector<double> first_at, second_at;                  // knots of the grid
  std::vector<double> value, standard_error, lower, upper;  // by knots of the first; NaN: not determined
  // Wald test that it is zero everywhere. NaN where the rows do not determine it.
  double flat = 0, flat_p = 1;
  int flat_degrees = 0;
};

// One of the points at which starts ended.
struct OptimumFound {
  double loss = 0;
  double gradient = 0;
  int starts = 0;
};

// What a summary of choices says beside that of a table.
struct ChoiceFacts {
  std::size_t alternatives = 0;
  std::size_t persons = 0;         // 0: the schema names none
  double null_log_likelihood = 0;  // all available alternatives equally likely
  double rho_square = 0;           // 1 - L / L0
  double adjusted_rho_square = 0;  // 1 - (L - K) / L0, K the parameters
};

struct InferenceSummary {
  std::string model;          // what kind, in words
  std::string response;       // names of the responses
  std::size_t rows = 0;       // situations, of a choice model
  std::string objective;      // likelihood, score matching, hybrid
  double loss = 0;            // mean over rows
  double log_likelihood = 0;  // NaN where the objective is no likelihood, as are aic and bic
  double aic = 0, bic = 0;
  int parameters = 0;                                          // free ones that the rows determine
  std::string covariance;                                      // robust, classical, cluster
  std::string factor;                                          // finite-sample factor
  std::vector<std::pair<std::string, std::int64_t>> clusters;  // column, number of clusters
  double level = 0.95;
  bool standardised = false;
  double gradient = 0;  // largest entry of the mean score, in standard deviations of a row's
  int starts = 0;
  std::vector<OptimumFound> optima;
  double condition = 0;                   // of the information, scaled to a unit diagonal
  double smallest_eigenvalue = 0;         // of the same
  std::vector<std::string> unidentified;  // directions, in words
  std::vector<std::string> notes;
  int bootstrap = 0;   // resamples that converged
  std::string digest;  // of the data
  // Of the rows that were used: their responses and weights; empty in models of earlier versions.
  std::string response_digest = {};
  std::vector<std::string> columns = {};  // features that a model of a table, or a network of choices, reads
  // A linear utility of choices: what each coefficient multiplies, "alternative: expression" for every
  // alternative that it stands in. Last what no choice depends on: 1 in every alternative.
  std::vector<std::vector<std::string>> terms = {};
  std::optional<ChoiceFacts> choice = {};
  std::vector<EstimatedParameter> estimates;
  std::vector<EstimatedCurve> curves = {};
  std::vector<EstimatedProduct> products = {};
  std::vector<double> covariance_matrix;  // estimates x estimates, row-major; NaN where there is none
};

struct Inference {
  Model model;  // canonical, at the minimum, with its covariances
  InferenceSummary summary;
  // Of the model's parameters that have errors, as it was asked for (also by clusters of any columns),
  // row-major.
  std::vector<double> covariance = {};
};

// Choices: a linear utility is fitted again; without a column, cluster means by person.
// Takes the model's parameters to the minimum for these rows (the training rows where the data are those of
// the fit, else all), writes them in canonical form and computes their covariance. NumericError, with the
// reason, where no minimum is reached; Interrupted where should_stop ended it.
Inference infer(const Model& model, const Data& data, const InferenceOptions& options = {});

// From the covariances that the model stores: robust or classical, or by the persons of choices. NeedsData
// where it stores none, and for options that only an estimate from rows can follow: clusters by columns, a
// bootstrap, starts, a reference and a device.
InferenceSummary stored_inference(const Model& model, const InferenceOptions& options = {});
bool has_inference(const Model& model);

enum class SummaryFormat { text, json, csv, latex, markdown };
SummaryFormat summary_format(const std::string& name);  // by these names; UsageError for another
std::string render(const InferenceSummary& summary, SummaryFormat format);

struct HypothesisTest {
  std::string kind;  // Wald, likelihood ratio
  std::string hypothesis;
  double statistic = 0;  // chi-squared
  int degrees = 0;
  double p = 1;
};

// Linear hypotheses about estimates, all at once: "U.price = 0, U.time = 2 * U.cost".
HypothesisTest wald_test(const InferenceSummary& summary, const std::string& hypothesis);

// Of two models of the same rows, one nested in the other. UsageError for what shows that they are not: other
// rows, responses or weights, a feature that the smaller one has alone, as many parameters; NumericError
// where the smaller one has the higher likelihood.
HypothesisTest likelihood_ratio_test(const InferenceSummary& a, const InferenceSummary& b);

// One JSON document, with the tests as an array; sentences in every other format.
std::string render(const std::vector<HypothesisTest>& tests, SummaryFormat format);

// Delta-method errors of anything that is computed from a model: for each number that `quantities` returns,
// the number and its standard error (NaN where the rows do not determine it). The model must store a
// covariance; those that `quantities` is given at other parameters have none.
struct Quantity {
  double value = 0;
  double standard_error = 0;
};
std::vector<Quantity> delta_method(const Model& model,
                                   const std::function<std::vector<double>(const Model&)>& quantities,
                                   const std::string& covariance = "robust");

// Marginal utilities, rates of substitution, willingness to pay, effects on predictions and elasticities (see
// economics), with a standard error beside every number that depends on the estimates: by the covariance of
// an inference, or where it is empty by the stored one that the options name. Of these, covariance, threads,
// should_stop and on_progress count.
OutputTable economics_with_errors(const Model& model, const Data& data, const std::string& numeraire,
                                  const InferenceOptions& options = {},
                                  const std::vector<double>& covariance = {});

// The same distribution with what data cannot determine fixed by convention; covariances are dropped.
// UsageError for a reference that is no class or alternative, and for a linear utility of choices, which has
// no other form.
struct Canonical {
  Model model;
  std::vector<std::string> notes;  // heads and blocks merged or left out
};
Canonical canonical(const Model& model, const std::string& reference = "");

}  // namespace bl
