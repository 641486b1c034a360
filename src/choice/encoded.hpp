// Situations as an objective reads them.
#pragma once

#include <vector>

#include "choice/scores.hpp"
#include "objective/dataset.hpp"

namespace bl {

// Encoded situations with the storage that an objective views.
template <class T>
struct EncodedChoices {
  const ChoiceData* data;
  Matrix<T> context, attributes;
  std::vector<T> weights;

  EncodedChoices(const ChoiceData& choices, const Encoder& encoder, const ChoiceResponse& response,
                 UnseenLevels unseen = UnseenLevels::missing)
      : data(&choices),
        context((unseen == UnseenLevels::missing ? encoder.with_unseen(UnseenPolicy::missing) : encoder)
                    .template encode_features<T>(choices.context, all_rows(choices.context.rows))),
        attributes(encode_attributes<T>(choices.attributes, response.means, response.scales)),
        weights(choices.weights.begin(), choices.weights.end()) {}

  DatasetView<T> view() const {
    DatasetView<T> out;
    out.rows = data->situations();
    out.context = context.view();
    out.weights = weights;
    out.alternatives = {.begin = data->begin,
                        .attributes = attributes.view(),
                        .classes = data->classes,
                        .available = {},
                        .chosen = data->chosen};
    return out;
  }
};

// What that storage takes; `context`: encoded columns.
template <class T>
double encoded_megabytes(const ChoiceData& choices, Index context) {
  const auto numbers = static_cast<std::size_t>(choices.situations() * context) +
                       choices.attributes.flat().size() + choices.weights.size();
  return static_cast<double>(numbers * sizeof(T)) / (1 << 20);
}

}  // namespace bl
