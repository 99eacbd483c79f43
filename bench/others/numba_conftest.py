"""What Numba-CUDA's tests expect of their runner: an option for their FileCheck tests, here always off."""
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
