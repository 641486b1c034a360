// Situations as an objective reads them.
#pragma once

#include <vector>

#include "api/choice_impl.hpp"
#include "objective/dataset.hpp"

namespace bl {

// Encoded situations with the storage that an objective views.
template <class T>
struct EncodedChoices {
  const ChoiceData* data;
  Matrix<T> context, attributes;
  std::vector<T> weights;

  EncodedChoices(const ChoiceData& choices, const StoredChoice& model)
      : data(&choices),
        context(model.encoder.with_unseen(UnseenPolicy::missing)
                    .encode_features<T>(choices.context, all_rows(choices.context.rows))),
        attributes(encode_attributes<T>(choices.attributes, model.means, model.scales)),
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

}  // namespace bl
